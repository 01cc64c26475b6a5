import { expect, it } from 'vitest';
import { inTurn } from './turn.ts';

it('jobs that take turns run one at a time, in the order in which they came', async () => {
  const steps: string[] = [];
  const jobs = ['a', 'b', 'c'].map(name => {
    const end = Promise.withResolvers<string>();
    const result = inTurn(async () => {
      steps.push(`${name} begins`);
      const value = await end.promise;
      steps.push(`${name} ends`);
      return value;
    });
    return { name, end, result };
  });
  // The last job may be released first, and still waits for its turn.
  for (const { name, end } of jobs.toReversed()) end.resolve(name);
  expect(await Promise.all(jobs.map(({ result }) => result))).toEqual(['a', 'b', 'c']);
  expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});

it('a job that fails holds up none behind it, and its caller gets the error', async () => {
  const failed = inTurn(async () => {
    throw new Error('on purpose');
  });
  const thrown = inTurn(() => {
    throw new Error('at once');
  });
  const next = inTurn(async () => 'done');
  await expect(failed).rejects.toThrow('on purpose');
  await expect(thrown).rejects.toThrow('at once');
  expect(await next).toBe('done');
});
