import type { Deps } from '../deps.ts';

/** Takes longer than queueing a mail, so that the time of the answer does not tell whether a mail was queued. */
const evenMs = 200;

export async function inConstantTime(
  { pause }: Pick<Deps, 'pause'>,
  act: () => Promise<void>,
): Promise<void> {
  await Promise.all([act(), pause(evenMs)]);
}
