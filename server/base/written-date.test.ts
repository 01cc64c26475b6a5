import { expect, it } from 'vitest';
import { readWrittenDate } from './written-date.ts';

it.each([
  ['2020-05-17', '2020-05-17T00:00:00.000Z'],
  ['2020/5/7', '2020-05-07T00:00:00.000Z'],
  ['2020-05-17 10:20:30 +0200', '2020-05-17T08:20:30.000Z'],
  ['2020-05-17T10:20:30.5-03:30', '2020-05-17T13:50:30.500Z'],
  ['2020-05-17T10:20Z', '2020-05-17T10:20:00.000Z'],
  ['20200517', '2020-05-17T00:00:00.000Z'],
  ['2020', '2020-01-01T00:00:00.000Z'],
  ['1589673600', '2020-05-17T00:00:00.000Z'],
  ['May 17, 2020', '2020-05-17T00:00:00.000Z'],
  ['17 May 2020 10:00', '2020-05-17T10:00:00.000Z'],
  ['Sun, 17 May 2020 10:00:00 +0200', '2020-05-17T08:00:00.000Z'],
])('readWrittenDate reads %s', (text, iso) => {
  expect(new Date(readWrittenDate(text, 'UTC') ?? Number.NaN).toISOString()).toBe(iso);
});

it.each(['', 'soon', 'Post 3', '2020-02-31', '2020-13-01', '99999', 'Tuesday'])(
  'the text "%s" is no date',
  text => {
    expect(readWrittenDate(text, 'UTC')).toBeUndefined();
  },
);

it('a date without a zone is in the time zone of the site', () => {
  expect(readWrittenDate('2020-05-17', 'America/New_York')).toBe(Date.UTC(2020, 4, 17, 4));
  expect(readWrittenDate('2020-01-17 09:00', 'Europe/Vienna')).toBe(Date.UTC(2020, 0, 17, 8));
  // The hour after the clocks went forward.
  expect(readWrittenDate('2020-03-29 03:30', 'Europe/Vienna')).toBe(Date.UTC(2020, 2, 29, 1, 30));
});

it.each([
  ['America/Asuncion', '2023-10-01', '2023-10-01T04:00:00.000Z'],
  ['Atlantic/Azores', '2024-03-31', '2024-03-31T01:00:00.000Z'],
  ['Europe/Vienna', '2020-03-29 02:30', '2020-03-29T01:30:00.000Z'],
  ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00.000Z'],
])('in %s the time of %s, which the clocks skip, is after the gap', (timeZone, text, iso) => {
  expect(new Date(readWrittenDate(text, timeZone) ?? Number.NaN).toISOString()).toBe(iso);
});
