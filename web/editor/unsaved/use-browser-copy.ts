import { useEffect, useRef, useState } from 'react';
import { addOpenText } from '../../ui/open-texts.ts';
import { type BrowserCopy, copyKey, dropCopy, keepCopy } from './browser-copy.ts';

/** How long typing rests before it is kept, and how long it is put off at most. Milliseconds. */
const restMs = 400;
const mostMs = 2_000;

type Kept = 'nothing' | 'kept' | 'failed';

/**
 * Keeps what is not saved yet in this browser, while it is typed and when the page goes to sleep. Tells whether it is
 * kept; `drop` forgets it once the server has it.
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
