import { expect, it } from 'vitest';
import { amountOf } from './query.ts';

const page = (shown: number, nextCursor: string | null, total = shown, isTotalExact = false) => ({
  users: Array.from({ length: shown }),
  total,
  isTotalExact,
  nextCursor,
});

it('the number of users that a search finds grows with the pages shown, and is exact after the last', () => {
  expect(amountOf([page(25, 'x')])).toBe('25+');
  expect(amountOf([page(25, 'x'), page(25, 'y')])).toBe('50+');
  expect(amountOf([page(25, 'x'), page(25, 'y'), page(3, null)])).toBe('53');
  expect(amountOf([page(25, 'x', 1_200, true), page(25, 'y', 1_200, true)])).toBe('1,200');
});
