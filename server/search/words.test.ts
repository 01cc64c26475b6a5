import { expect, it } from 'vitest';
import { wordsOf } from './words.ts';

it.each([
  ['The Ångström flows, *naïve* and 10.5 wide.', 'the angstrom flows naive and 10 5 wide'],
  ['Ὀδυσσεύς ΟΔΥΣΣΕΥΣ', 'οδυσσευσ οδυσσευσ'],
  ['ГОРОД Ёлка', 'город елка'],
  ['מֹשֶׁה שָׁלוֹם', 'משה שלום'],
  ['مُحَمَّد محمـــد أحمد', 'محمد محمد احمد'],
  ['हिन्दी किताब', 'हिन्दी किताब'],
  ['สวัสดี முதல் বাংলা', 'สวัสดี முதல் বাংলা'],
  ['がっこう か\u3099っこう かっこう', 'がっこう がっこう かっこう'],
  ['İstanbul \ud800 ❤\ufe0f', 'istanbul'],
])('the search knows the words of %j', (text, words) => {
  expect(wordsOf(text).join(' ')).toBe(words);
});

it('a word is cut after 100 letters', () => {
  expect(wordsOf('x'.repeat(250)).map(word => word.length)).toEqual([100, 100, 50]);
});

it('68. a letter keeps at most 30 marks, because sorting them takes time with the square of their number', () => {
  const words = wordsOf(`क${'\u0730\u0731'.repeat(50_000)} गंगा`);
  expect(words.map(word => word.length)).toEqual([1 + 30, 4]);
  expect(words.at(-1)).toBe('गंगा');
});
