import { useEffect, useEffectEvent } from 'react';

/** How often it tries without a sign of a connection. Milliseconds. */
const againMs = 15_000;

/**
 * While it `listens`, calls `act` when there may be a connection: now, when the browser reports one, and when
 * the page is shown. While it `repeats`, also every 15 seconds, because the network may be up before requests
 * are answered. The signal is aborted once it ends.
 */
export function useConnection(
  act: (signal: AbortSignal) => void,
  listens: boolean,
  repeats: boolean = listens,
): void {
  const go = useEffectEvent((signal: AbortSignal) => navigator.onLine && act(signal));
  useEffect(() => {
    if (!listens) return undefined;
    const listening = new AbortController();
    const { signal } = listening;
    go(signal);
    window.addEventListener('online', () => go(signal), { signal });
    document.addEventListener('visibilitychange', () => document.hidden || go(signal), { signal });
    return () => listening.abort();
  }, [listens]);
  useEffect(() => {
    if (!repeats) return undefined;
    const repeating = new AbortController();
    const timer = setInterval(() => go(repeating.signal), againMs);
    return () => {
      clearInterval(timer);
      repeating.abort();
    };
  }, [repeats]);
}
