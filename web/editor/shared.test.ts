import { expect, it } from 'vitest';
import { wordsOf } from './shared.ts';

it.each([
  [['A title', 'Words', 'https://example.com/a'], 'A title\n\nWords\n\nhttps://example.com/a'],
  [[null, 'https://example.com/a', 'https://example.com/a'], 'https://example.com/a'],
  [['Title', 'Title https://example.com/a', ''], 'Title https://example.com/a'],
  [[null, null, null], ''],
])('what is shared as %j is written as %j', (fields, text) => {
  expect(wordsOf(fields)).toBe(text);
});
