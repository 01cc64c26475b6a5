import { useEffect, useRef, useState } from 'react';
import { addOpenText } from '../../ui/open-texts.ts';
import { type BrowserCopy, copyKey, dropCopy, storeCopy } from './browser-copy.ts';

/** How long typing must pause before a copy is stored, and how long that is delayed at most, in milliseconds. */
const restMs = 400;
const mostMs = 2_000;

export type CopyState = 'none' | 'stored' | 'failed';

/**
 * Stores a copy of unsaved text in this browser, while typing and when the page is hidden. Returns whether it is
 * stored; `drop` deletes it once the server has the text.
 */
export function useBrowserCopy(
  { userId, postId }: { userId: string; postId: string | null },
  {
    draft,
    version,
    saveKey,
    uploads,
    isDirty,
  }: { isDirty: boolean } & Required<Omit<BrowserCopy, 'savedAt'>>,
) {
  const key = copyKey(userId, postId, saveKey);
  const [state, setState] = useState<CopyState>('none');
  const waitingSince = useRef<number>(undefined);
  const latest = useRef({ draft, version, saveKey, uploads, isDirty, key, isDropped: false });
  useEffect(() => {
    latest.current = { ...latest.current, draft, version, saveKey, uploads, isDirty, key };
  });

  const store = useRef(async () => {
    const { isDropped, key, isDirty, ...copy } = latest.current;
    waitingSince.current = undefined;
    if (isDropped) return;
    if (isDirty) setState((await storeCopy(key, { ...copy, savedAt: Date.now() })) ? 'stored' : 'failed');
    else {
      setState('none');
      await dropCopy(key);
    }
  }).current;
  const waiting = uploads.join('\n');

  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of any of these is what has to be stored
  useEffect(() => {
    if (!isDirty && state === 'none') return;
    waitingSince.current ??= Date.now();
    const wait = Math.min(restMs, Math.max(0, waitingSince.current + mostMs - Date.now()));
    const timer = setTimeout(store, wait);
    return () => clearTimeout(timer);
  }, [draft, version, waiting, isDirty, store]);

  useEffect(() => {
    const storeNow = async () => {
      if (waitingSince.current !== undefined) await store();
    };
    const stopStoring = () => {
      latest.current.isDropped = true;
    };
    const close = addOpenText({ store: storeNow, stopStoring });
    const events = ['pagehide', 'visibilitychange', 'blur'] as const;
    for (const event of events) window.addEventListener(event, storeNow);
    return () => {
      close();
      void storeNow();
      for (const event of events) window.removeEventListener(event, storeNow);
    };
  }, [store]);

  return {
    state,
    drop: async () => {
      latest.current.isDropped = true;
      await dropCopy(key);
    },
  };
}
