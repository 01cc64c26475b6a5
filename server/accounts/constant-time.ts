import type { Deps } from '../deps.ts';

/** Longer than it takes to queue a mail: the time of the answer must not tell whether there was one to queue. */
const evenMs = 200;

export async function inConstantTime(
  { pause }: Pick<Deps, 'pause'>,
  act: () => Promise<void>,
): Promise<void> {
  await Promise.all([act(), pause(evenMs)]);
}
