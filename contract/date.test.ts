import { expect, it } from 'vitest';
import { formatDate, formatDateTime } from './date.ts';

it.each([
  ['2026-11-19T12:00:00.000Z', 'UTC', 'November 19, 2026'],
  ['2026-11-19T23:30:00.000Z', 'Europe/Paris', 'November 20, 2026'],
  ['not a date', 'UTC', ''],
  ['', 'UTC', ''],
  [null, 'UTC', ''],
])('%j in %s is %j', (moment, timeZone, text) => {
  expect(formatDate(moment, { timeZone, dateLanguage: 'en-US' })).toBe(text);
});

it('a moment is written with its time of day in the time zone of the site', () => {
  expect(
    formatDateTime('2026-11-19T23:05:00.000Z', { timeZone: 'Europe/Paris', dateLanguage: 'en-US' }),
  ).toBe('November 20, 2026 at 00:05');
});
