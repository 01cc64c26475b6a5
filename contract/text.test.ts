import { describe, expect, it } from 'vitest';
import { countCharacters, cutAtWord, firstCharacters, isWithin } from './text.ts';

describe('characters', () => {
  it('a flag or a family counts as one character', () => {
    expect(countCharacters('')).toBe(0);
    expect(countCharacters('abc')).toBe(3);
    expect(countCharacters('👨‍👩‍👧‍👦🇫🇷e\u0301')).toBe(3);
  });

  it('counting stops one above the limit', () => {
    expect(countCharacters('a'.repeat(300), 300)).toBe(300);
    expect(countCharacters('a'.repeat(301), 300)).toBe(301);
    expect(countCharacters('👨‍👩‍👧‍👦'.repeat(1_000), 300)).toBe(301);
  });
});

describe('a limit', () => {
  const family = '👨‍👩‍👧‍👦';
  it('counts characters as people do', () => {
    expect(isWithin(family.repeat(50), 50)).toBe(true);
    expect(isWithin(family.repeat(51), 50)).toBe(false);
    expect(isWithin('a'.repeat(51), 50)).toBe(false);
  });

  it('also bounds the marks on a character, which are endless', () => {
    expect(isWithin(`a${'\u0301'.repeat(1_000)}`, 50)).toBe(false);
  });

  it('cuts between characters', () => {
    expect(firstCharacters(family.repeat(3), 2)).toBe(family.repeat(2));
    expect(firstCharacters('ab', 3)).toBe('ab');
  });
});

describe('cutAtWord', () => {
  it('a text that is short enough is not cut', () => expect(cutAtWord('one two', 7)).toBe('one two'));
  it('a text without spaces between its words is cut near the limit, between two characters', () => {
    const japanese = `Tokyo ${'東京の夜はとても静かでした。'.repeat(6)}`;
    expect(cutAtWord(japanese, 60)).toBe(`${japanese.slice(0, 59).replace(/。$/, '')}…`);
    expect(cutAtWord(`Look ${'👨‍👩‍👧‍👦'.repeat(10)}`, 30)).toBe('Look…');
    expect(cutAtWord(`See https://example.com/${'a'.repeat(90)}`, 60)).toHaveLength(60);
    expect(cutAtWord('👨‍👩‍👧‍👦'.repeat(10), 30)).toBe(`${'👨‍👩‍👧‍👦'.repeat(2)}…`);
  });
  it('a cut text ends with a whole word', () => expect(cutAtWord('one two three', 9)).toBe('one two…'));
  it('a cut never leaves half a character', () =>
    expect(cutAtWord('😀'.repeat(10), 6).isWellFormed()).toBe(true));
});
