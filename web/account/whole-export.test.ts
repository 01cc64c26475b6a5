import { expect, it, vi } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import type { Call } from '../../contract/operations.ts';
import { wholeExport } from './whole-export.ts';

it('an export of more comments than a minute allows waits and goes on', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const parts = [
    { userId: 'lucy', data: { name: 'Lucy', comments: [1] }, nextCursor: 'a' },
    { userId: 'lucy', data: { comments: [2] }, nextCursor: 'b' },
    new AppError('resource-exhausted', 'Too many attempts.', { retryAfterSeconds: 30 }),
    { userId: 'lucy', data: { comments: [3] }, nextCursor: null },
  ];
  const asked: unknown[] = [];
  const call = async (_: string, input: unknown) => {
    asked.push(input);
    const part = parts.shift();
    if (part instanceof Error) throw part;
    return part;
  };
  const whole = wholeExport(call as Call, () => true);
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
    return { userId: 'lucy', data: { comments: [] }, nextCursor: 'a' };
  };
  await expect(wholeExport(call as Call, () => true)).rejects.toThrow('Away.');
});

it('an export has the comments of one account', async () => {
  const call = async (_: string, { after }: { after?: string }) => ({
    userId: after === undefined ? 'lucy' : 'mina',
    data: { comments: [1] },
    nextCursor: after === undefined ? 'a' : null,
  });
  await expect(wholeExport(call as Call, () => true)).rejects.toThrow('Somebody else has signed in');
});

it('an export ends when its page is left', async () => {
  let parts = 0;
  const call = async () => {
    parts += 1;
    return { userId: 'lucy', data: { comments: [parts] }, nextCursor: 'more' };
  };
  await expect(wholeExport(call as Call, () => parts < 3)).rejects.toThrow('The page was left.');
  expect(parts).toBe(3);
});
