import { expect, it } from 'vitest';
import { brokenWords } from './long-words.ts';

it.each([
  ['prose in Arabic', 'السلام عليكم ورحمة الله وبركاته '.repeat(100)],
  ['Chinese without spaces', '天地玄黃宇宙洪荒日月盈昃'.repeat(100)],
  ['Japanese without spaces', 'いろはにほへとちりぬるをワカヨタレソ'.repeat(100)],
  ['a word of two hundred letters', 'a'.repeat(200)],
])('%s is kept whole', (_, text) => {
  expect(brokenWords(text)).toEqual([text]);
});

it.each([
  'a',
  'AV',
  'https://example.com/',
  '\u0628',
  '\u0628a',
  '\u0628\u00a0',
  '\u0628\u2060',
  '\u0628\u0651',
  '\u07ca',
  '\u0e01\u0e31',
  '\u{1e900}',
])('a word of %j without end can be broken after two hundred characters, and says the same', letters => {
  const text = `a ${letters.repeat(1_000)} b`;
  const parts = brokenWords(text);
  expect(Math.max(...parts.map(part => [...part].length))).toBeLessThanOrEqual(204);
  expect(parts.join('')).toBe(text);
});
