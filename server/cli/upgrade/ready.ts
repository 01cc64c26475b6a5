import { setTimeout as sleep } from 'node:timers/promises';

/** How often a server is asked whether it is ready, in milliseconds. */
const askEveryMs = 200;
/** How long a server has to answer, in milliseconds. */
const answerWithinMs = 5_000;

/** Whether a server says that it is ready. */
export async function isReady(url: string): Promise<boolean> {
  return await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(answerWithinMs) }).then(
    answer => answer.ok,
    () => false,
  );
}

/** Whether a condition becomes true within a time. `isHopeless` ends the wait. */
export async function holdsWithin(
  withinMs: number,
  holds: () => Promise<boolean>,
  isHopeless: () => boolean | Promise<boolean>,
): Promise<boolean> {
  const overAt = performance.now() + withinMs;
  do {
    if (await holds()) return true;
    await sleep(askEveryMs);
  } while (performance.now() < overAt && !(await isHopeless()));
  return false;
}
