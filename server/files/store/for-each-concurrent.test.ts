import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { forEachConcurrent } from './for-each-concurrent.ts';

it('forEachConcurrent runs for each item, several at the same time', async () => {
  const done: number[] = [];
  let running = 0;
  let most = 0;
  await forEachConcurrent(Array(20).keys(), async item => {
    running += 1;
    most = Math.max(most, running);
    await setImmediate();
    running -= 1;
    done.push(item);
  });
  expect(done.toSorted((a, b) => a - b)).toEqual([...Array(20).keys()]);
  expect(most).toBe(8);
});

it('forEachConcurrent begins with no item after a failure, and throws once what was under way has ended', async () => {
  const begun: number[] = [];
  let running = 0;
  const acting = forEachConcurrent(Array(100).keys(), async item => {
    begun.push(item);
    if (item === 3) throw new Error('no room');
    running += 1;
    await setImmediate();
    running -= 1;
  });
  await expect(acting).rejects.toThrow('no room');
  expect(running).toBe(0);
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});
