import { expect, it } from 'vitest';
import { agoInWords } from './ago.ts';

const hourMs = 60 * 60_000;

it.each([
  [-5_000, 'en-GB', 'now'],
  [59_000, 'en-GB', 'now'],
  [60_000, 'en-GB', '1 minute ago'],
  [23 * hourMs, 'en-GB', '23 hours ago'],
  [24 * hourMs, 'en-GB', '1 day ago'],
  [47 * hourMs, 'en-GB', '1 day ago'],
  [59_000, 'de', 'jetzt'],
  [47 * hourMs, 'de', 'vor 1 Tag'],
])('what is %i ms old is told in %s as %s', (ageMs, language, words) => {
  expect(agoInWords(ageMs, language)).toBe(words);
});
