import { useSyncExternalStore } from 'react';
import { useIsInBrowser } from './use-is-in-browser.ts';

export const minuteMs = 60_000;

/** One timer for all relative times. */
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const each of listeners) each();
  }, minuteMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

const now = () => Math.floor(Date.now() / minuteMs);

/** The current minute since the epoch, as it passes; null on the server and during hydration. */
export function useMinute(): number | null {
  const isInBrowser = useIsInBrowser();
  const minute = useSyncExternalStore(subscribe, now, now);
  return isInBrowser ? minute : null;
}
