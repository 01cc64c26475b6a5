import { setTimeout as sleep } from 'node:timers/promises';

/** Longer than it takes to queue a mail: the time of the answer must not tell whether there was one to queue. */
const evenMs = 200;

export async function inConstantTime(act: () => Promise<void>): Promise<void> {
  await Promise.all([act(), sleep(evenMs)]);
}
