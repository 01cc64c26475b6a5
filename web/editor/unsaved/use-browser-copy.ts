import { useEffect, useRef, useState } from 'react';
import { addOpenText } from '../../ui/open-texts.ts';
import { type BrowserCopy, copyKey, dropCopy, keepCopy } from './browser-copy.ts';

/** How long typing must pause before a copy is stored, and how long that is delayed at most, in milliseconds. */
const restMs = 400;
const mostMs = 2_000;

type Kept = 'nothing' | 'kept' | 'failed';

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
  const [kept, setKept] = useState<Kept>('nothing');
  const waitingSince = useRef<number>(undefined);
  const latest = useRef({ draft, version, saveKey, uploads, isDirty, key, isDropped: false });
  useEffect(() => {
    latest.current = { ...latest.current, draft, version, saveKey, uploads, isDirty, key };
  });

  const keep = useRef(async () => {
    const { isDropped, key, isDirty, ...copy } = latest.current;
    waitingSince.current = undefined;
    if (isDropped) return;
    if (isDirty) setKept((await keepCopy(key, { ...copy, savedAt: Date.now() })) ? 'kept' : 'failed');
    else {
      setKept('nothing');
      await dropCopy(key);
    }
  }).current;
  const waiting = uploads.join('\n');

  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever of it changes is what has to be kept
  useEffect(() => {
    if (!isDirty && kept === 'nothing') return;
    waitingSince.current ??= Date.now();
    const wait = Math.min(restMs, Math.max(0, waitingSince.current + mostMs - Date.now()));
    const timer = setTimeout(keep, wait);
    return () => clearTimeout(timer);
  }, [draft, version, waiting, isDirty, keep]);

  useEffect(() => {
    const keepNow = async () => {
      if (waitingSince.current !== undefined) await keep();
    };
    const stopKeeping = () => {
      latest.current.isDropped = true;
    };
    const close = addOpenText({ keep: keepNow, stopKeeping });
    const events = ['pagehide', 'visibilitychange', 'blur'] as const;
    for (const event of events) window.addEventListener(event, keepNow);
    return () => {
      close();
      void keepNow();
      for (const event of events) window.removeEventListener(event, keepNow);
    };
  }, [keep]);

  return {
    kept,
    drop: async () => {
      latest.current.isDropped = true;
      await dropCopy(key);
    },
  };
}
