import { expect, it } from 'vitest';
import { sessionMaxMs } from './session-rows.ts';
import { maxAgeOf } from './sessions.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const now = Date.UTC(2026, 0, 1);
const at = (ms: number) => now + ms;

it('the viewer of a session is cached for ten minutes at most', () => {
  const createdAt = at(-hour);
  expect(maxAgeOf({ createdAt, expiresAt: at(30 * day), isLong: true }, now)).toBe(10 * minute);
  expect(maxAgeOf({ createdAt, expiresAt: at(hour), isLong: false }, now)).toBe(10 * minute);
});

it('the viewer of a session is looked up again when the use of the session prolongs it', () => {
  const createdAt = at(-2 * day);
  const usedAgo = (ms: number) => ({ createdAt, expiresAt: at(30 * day - ms), isLong: true });
  expect(maxAgeOf(usedAgo(hour - 5 * minute), now)).toBe(5 * minute);
  expect(maxAgeOf(usedAgo(hour), now)).toBe(0);
  expect(maxAgeOf({ ...usedAgo(29 * day), isLong: false }, now)).toBe(10 * minute);
});

it('the viewer of a session is not cached beyond the end of the session, or a year after it began', () => {
  expect(maxAgeOf({ createdAt: at(-day), expiresAt: at(minute), isLong: false }, now)).toBe(minute);
  const createdAt = at(minute - sessionMaxMs);
  expect(maxAgeOf({ createdAt, expiresAt: at(30 * day), isLong: true }, now)).toBe(minute);
  expect(maxAgeOf({ createdAt: at(-day), expiresAt: at(-minute), isLong: false }, now)).toBeLessThan(0);
});
