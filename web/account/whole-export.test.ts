import { expect, it, vi } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import type { Call } from '../../contract/operations.ts';
import { wholeExport } from './whole-export.ts';

it('an export of more comments than a minute allows waits and goes on', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const parts = [
    { data: { name: 'Lucy', comments: [1] }, nextCursor: 'a' },
    { data: { comments: [2] }, nextCursor: 'b' },
    new AppError('resource-exhausted', 'Too many attempts.', { retryAfterSeconds: 30 }),
    { data: { comments: [3] }, nextCursor: null },
  ];
  const asked: unknown[] = [];
  const call = async (_: string, input: unknown) => {
    asked.push(input);
    const part = parts.shift();
    if (part instanceof Error) throw part;
    return part;
  };
  const whole = wholeExport(call as Call);
  await vi.advanceTimersByTimeAsync(29_000);
  expect(asked).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await whole).toEqual({ name: 'Lucy', comments: [1, 2, 3] });
  expect(asked).toEqual([{}, { after: 'a' }, { after: 'b' }, { after: 'b' }]);
  vi.useRealTimers();
});

it('an export that fails for another reason ends', async () => {
  const call = async (_: string, { after }: { after?: string }) => {
    if (after !== undefined) throw new AppError('unavailable', 'Away.');
    return { data: { comments: [] }, nextCursor: 'a' };
  };
  await expect(wholeExport(call as Call)).rejects.toThrow('Away.');
});
