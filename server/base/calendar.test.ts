import { expect, it } from 'vitest';
import { lastTimeOfDay } from './calendar.ts';

const last = (now: string, at: string, timeZone: string, weekday?: number) =>
  new Date(lastTimeOfDay(Date.parse(now), at, timeZone, weekday)).toISOString();

it('a time of the day that has come today is the last one, and before it that of yesterday', () => {
  expect(last('2026-05-01T03:30:00Z', '03:30', 'UTC')).toBe('2026-05-01T03:30:00.000Z');
  expect(last('2026-05-01T23:59:00Z', '03:30', 'UTC')).toBe('2026-05-01T03:30:00.000Z');
  expect(last('2026-05-01T03:29:59Z', '03:30', 'UTC')).toBe('2026-04-30T03:30:00.000Z');
});

it('a time of the day goes by the clock of the site, summer and winter', () => {
  expect(last('2026-07-01T06:00:00Z', '08:00', 'Europe/Berlin')).toBe('2026-07-01T06:00:00.000Z');
  expect(last('2026-07-01T05:59:59Z', '08:00', 'Europe/Berlin')).toBe('2026-06-30T06:00:00.000Z');
  expect(last('2026-01-10T12:00:00Z', '08:00', 'Europe/Berlin')).toBe('2026-01-10T07:00:00.000Z');
  expect(last('2026-01-10T12:00:00Z', '00:00', 'Asia/Kathmandu')).toBe('2026-01-09T18:15:00.000Z');
});

it('the time of a weekday is up to a week ago', () => {
  expect(last('2026-07-05T23:00:00Z', '08:00', 'UTC', 1)).toBe('2026-06-29T08:00:00.000Z');
  expect(last('2026-07-06T08:00:00Z', '08:00', 'UTC', 1)).toBe('2026-07-06T08:00:00.000Z');
  expect(last('2026-07-06T07:59:00Z', '08:00', 'UTC', 1)).toBe('2026-06-29T08:00:00.000Z');
});

it('a day whose clock skips the time has it once, later, and one that has it twice has it once', () => {
  // At 02:00 the clock shows 03:00.
  expect(last('2026-03-29T01:29:00Z', '02:30', 'Europe/Vienna')).toBe('2026-03-28T01:30:00.000Z');
  expect(last('2026-03-29T12:00:00Z', '02:30', 'Europe/Vienna')).toBe('2026-03-29T01:30:00.000Z');
  expect(last('2026-10-25T00:59:00Z', '02:00', 'Europe/Berlin')).toBe('2026-10-24T00:00:00.000Z');
  expect(last('2026-10-25T12:00:00Z', '02:00', 'Europe/Berlin')).toBe('2026-10-25T01:00:00.000Z');
  expect(last('2026-03-08T12:00:00Z', '02:30', 'America/New_York')).toBe('2026-03-08T07:30:00.000Z');
  expect(last('2026-11-01T12:00:00Z', '01:30', 'America/New_York')).toBe('2026-11-01T06:30:00.000Z');
  // At midnight the clock shows one: it must not count as the day before.
  expect(last('2026-03-08T12:00:00Z', '00:00', 'America/Havana')).toBe('2026-03-08T05:00:00.000Z');
});

it('a text that is no time of the day never comes', () => {
  expect(lastTimeOfDay(Date.parse('2026-05-01T03:30:00Z'), 'soon', 'UTC')).toBe(0);
});
