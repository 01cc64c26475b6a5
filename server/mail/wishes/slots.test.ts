import { expect, it } from 'vitest';
import { lastSlot } from './slots.ts';

const slot = (now: string, rhythm: 'daily' | 'weekly', hour: number, timeZone: string) =>
  new Date(lastSlot(Date.parse(now), { rhythm, hour }, timeZone)).toISOString();

it('a daily digest is due at its hour of the site’s time zone, summer and winter', () => {
  expect(slot('2026-07-01T06:00:00Z', 'daily', 8, 'Europe/Berlin')).toBe('2026-07-01T06:00:00.000Z');
  expect(slot('2026-07-01T05:59:59Z', 'daily', 8, 'Europe/Berlin')).toBe('2026-06-30T06:00:00.000Z');
  expect(slot('2026-01-10T12:00:00Z', 'daily', 8, 'Europe/Berlin')).toBe('2026-01-10T07:00:00.000Z');
  expect(slot('2026-01-10T12:00:00Z', 'daily', 0, 'Asia/Kathmandu')).toBe('2026-01-09T18:15:00.000Z');
});

it('a weekly digest is due on Mondays', () => {
  expect(slot('2026-07-05T23:00:00Z', 'weekly', 8, 'UTC')).toBe('2026-06-29T08:00:00.000Z');
  expect(slot('2026-07-06T08:00:00Z', 'weekly', 8, 'UTC')).toBe('2026-07-06T08:00:00.000Z');
});

it('on a day without this hour no digest is due, and on a day that has it twice two are', () => {
  expect(slot('2026-03-29T12:00:00Z', 'daily', 2, 'Europe/Berlin')).toBe('2026-03-28T01:00:00.000Z');
  expect(slot('2026-10-25T00:59:00Z', 'daily', 2, 'Europe/Berlin')).toBe('2026-10-25T00:00:00.000Z');
  expect(slot('2026-10-25T12:00:00Z', 'daily', 2, 'Europe/Berlin')).toBe('2026-10-25T01:00:00.000Z');
});
