import { describe, expect, it } from 'vitest';
import { keptMsOf, sessionMaxMs } from './sessions.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const now = Date.UTC(2026, 0, 1);
const at = (ms: number) => new Date(now + ms);

describe('whom a session stands for', () => {
  it('is kept for ten minutes at most', () => {
    const createdAt = at(-hour);
    expect(keptMsOf({ createdAt, expiresAt: at(30 * day), isLong: true }, now)).toBe(10 * minute);
    expect(keptMsOf({ createdAt, expiresAt: at(hour), isLong: false }, now)).toBe(10 * minute);
  });

  it('is looked up again when using the session moves its end', () => {
    const createdAt = at(-2 * day);
    const usedAgo = (ms: number) => ({ createdAt, expiresAt: at(30 * day - ms), isLong: true });
    expect(keptMsOf(usedAgo(hour - 5 * minute), now)).toBe(5 * minute);
    expect(keptMsOf(usedAgo(hour), now)).toBe(0);
    expect(keptMsOf({ ...usedAgo(29 * day), isLong: false }, now)).toBe(10 * minute);
  });

  it('is not kept beyond the end of the session, or a year after it began', () => {
    expect(keptMsOf({ createdAt: at(-day), expiresAt: at(minute), isLong: false }, now)).toBe(minute);
    const createdAt = at(minute - sessionMaxMs);
    expect(keptMsOf({ createdAt, expiresAt: at(30 * day), isLong: true }, now)).toBe(minute);
    expect(keptMsOf({ createdAt: at(-day), expiresAt: at(-minute), isLong: false }, now)).toBeLessThan(0);
  });
});
