import { expect, it } from 'vitest';
import { breakWords } from './long-words.ts';

it.each([
  ['prose in Arabic', 'السلام عليكم ورحمة الله وبركاته '.repeat(100)],
  ['Thai without spaces', 'น้ำแข็งที่ก้นแก้วกำลังละลาย'.repeat(7)],
  ['Chinese without spaces', '天地玄黃宇宙洪荒日月盈昃'.repeat(100)],
  ['a long address', `https://example.com/${'path/'.repeat(200)}`],
  ['a word of Latin letters', 'a'.repeat(5_000)],
])('%s is kept as it was written', (_, text) => {
  expect(breakWords(text)).toBe(text);
});

it.each([
  '\u0628',
  '\u0628a',
  '\u06281',
  '\u0628\u00a0',
  '\u0628\u2060',
  '\u0628\u0651',
  '\u07ca',
  '\u0e01\u0e31',
  '\u{1e900}',
])('a word of %j without end can be broken after two hundred characters, and says the same', letters => {
  const word = letters.repeat(1_000);
  const broken = breakWords(`a ${word} b`);
  const parts = broken.split('\u200b').map(part => [...part].length);
  expect(Math.max(...parts)).toBeLessThanOrEqual(202);
  expect(broken.replaceAll('\u200b', '')).toBe(`a ${word} b`);
  expect(breakWords(broken)).toBe(broken);
});
