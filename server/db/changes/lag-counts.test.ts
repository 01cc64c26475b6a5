import { afterEach, expect, it, vi } from 'vitest';
import { type Changes, lagCounts } from './cache.ts';
import type { Changed } from './record.ts';

afterEach(() => {
  vi.useRealTimers();
});

it('changes of counts are told at most once in their lag, however often one post is liked', () => {
  vi.useFakeTimers();
  const told: Changed[] = [];
  let tell: (changed: Changed) => void = () => {};
  const record: Changes = {
    listen: listener => {
      tell = listener;
      return () => {};
    },
    afterOwnWrites: async () => {},
  };
  lagCounts(record, 1_000).listen(changed => told.push(changed));
  for (let like = 0; like < 15; like += 1) {
    tell(new Set(['counts:a']));
    vi.advanceTimersByTime(200);
  }
  expect(told).toHaveLength(3);
  tell(new Set(['counts:a', 'post:b']));
  expect(told.at(-1)).toEqual(new Set(['post:b']));
});
