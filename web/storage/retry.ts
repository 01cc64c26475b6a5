/** Pauses between attempts in milliseconds: about 1, 2, 4 ... s, at most a minute, with some randomness. */
export function* waits(): Generator<number, never> {
  for (let wait = 1_000; ; wait = Math.min(wait * 2, 60_000)) yield wait * (0.75 + Math.random() / 2);
}

/** Resolves after so long, or as soon as the browser says that it is online again. Throws the signal's reason. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener('online', finish);
      signal?.removeEventListener('abort', cancel);
    };
    const finish = () => {
      end();
      resolve();
    };
    const cancel = () => {
      end();
      reject(signal?.reason);
    };
    const timer = setTimeout(finish, ms);
    addEventListener('online', finish);
    signal?.addEventListener('abort', cancel);
  });
}
