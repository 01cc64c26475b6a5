import { expect, it } from 'vitest';
import { isDueSince } from './schedule.ts';

const at = (text: string) => Date.parse(text);

it.each([
  ['has not come since', '2026-05-01T03:31Z', '2026-05-01T23:59Z', false],
  ['has come since', '2026-05-01T03:29Z', '2026-05-01T03:30Z', true],
  ['comes tomorrow, and came yesterday', '2026-05-01T03:31Z', '2026-05-02T03:29Z', false],
  ['came while nobody was there', '2026-05-01T03:31Z', '2026-05-04T01:00Z', true],
])('knows that the time of the day %s', (_, last, now, isDue) => {
  expect(isDueSince(at(last), at(now), '03:30', 'UTC')).toBe(isDue);
});

it('goes by the clock of the site, and leaves no day out when an hour is', () => {
  const zone = 'Europe/Vienna';
  expect(isDueSince(at('2026-05-01T01:31Z'), at('2026-05-01T23:00Z'), '03:30', zone)).toBe(false);
  expect(isDueSince(at('2026-05-01T01:29Z'), at('2026-05-01T01:31Z'), '03:30', zone)).toBe(true);
  // There is no 02:30 on this day: 02:00 is 03:00.
  expect(isDueSince(at('2026-03-28T02:00Z'), at('2026-03-29T00:59Z'), '02:30', zone)).toBe(false);
  expect(isDueSince(at('2026-03-28T02:00Z'), at('2026-03-29T01:00Z'), '02:30', zone)).toBe(true);
});
