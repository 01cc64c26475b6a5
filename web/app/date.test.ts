import { expect, it } from 'vitest';
import { formatDate } from '../../contract/date.ts';
import { datesInWords } from './date.tsx';

it.each([
  ['de', 'July 28, 2021'],
  ['en-GB', '28 July 2021'],
  ['en-US', 'July 28, 2021'],
  ['ar', 'July 28, 2021'],
])('a site whose dates are in %s has %s in the English words of the interface', (dateLanguage, words) => {
  const dates = datesInWords({ timeZone: 'UTC', dateLanguage });
  expect(formatDate('2021-07-28T10:00:00.000Z', dates)).toBe(words);
});
