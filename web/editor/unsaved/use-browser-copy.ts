import { useEffect, useState } from 'react';
import { addOpenText } from '../../ui/open-texts.ts';
import { type BrowserCopy, copyAt, dropCopy, storeCopy, type WaitingSave } from './browser-copy.ts';
import { type CopyState, CopyWriter } from './copy-writer.ts';
import type { Draft } from './draft.ts';

type Written = Required<Omit<BrowserCopy, 'savedAt' | 'waits' | 'refusal'>>;

/**
 * Stores a copy of unsaved text in this browser, while typing and when the page is hidden. Returns whether it
 * is stored; `drop` deletes it once the server has the text.
 */
export function useBrowserCopy(key: string, copy: Written, isDirty: boolean) {
  const { draft, date, isQuiet, version, uploads, files } = copy;
  const [state, setState] = useState<CopyState>('none');
  const [writer] = useState(
    () => new CopyWriter({ put: storeCopy, drop: dropCopy, now: Date.now }, setState),
  );
  const waiting = JSON.stringify([uploads, files]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: names of files are compared, not their list
  useEffect(() => {
    const wait = writer.take({ key, copy: isDirty ? copy : null });
    if (wait === undefined) return;
    const timer = setTimeout(() => writer.store(), wait);
    return () => clearTimeout(timer);
  }, [key, draft, date, isQuiet, version, waiting, isDirty, writer]);

  useEffect(() => {
    const store = () => writer.store();
    const close = addOpenText({ store, stopStoring: () => writer.stop() });
    const events = ['pagehide', 'visibilitychange', 'blur'] as const;
    for (const event of events) window.addEventListener(event, store);
    return () => {
      close();
      void store();
      for (const event of events) window.removeEventListener(event, store);
    };
  }, [writer]);

  return {
    state,
    /** Stores the current text. Resolves with false if the browser has no room for it. */
    storeNow: () => writer.store(),
    /** Leaves the text to be sent later. Resolves with false if the browser has no room for it. */
    leaveWaiting: async (waits: WaitingSave): Promise<boolean> => {
      writer.take({ key, copy: { ...copy, waits } });
      const isKept = await writer.store();
      if (isKept) {
        writer.stop();
        // What sends it hears of it as other tabs do.
        window.dispatchEvent(new StorageEvent('storage', { key }));
      }
      return isKept;
    },
    drop: async () => {
      writer.stop();
      await dropCopy(key);
    },
    /** Deletes the copy if this is its text. */
    dropIf: async (saved: Draft) => {
      const stored = await copyAt(key);
      if (JSON.stringify(stored?.draft) === JSON.stringify(saved)) await dropCopy(key);
    },
    /** Deletes the copy of now, whose text is stored under another key from now on. */
    dropMoved: () => dropCopy(key),
  };
}
