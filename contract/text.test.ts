import { describe, expect, it } from 'vitest';
import { countCharacters, cutAtWord } from './text.ts';

describe('characters', () => {
  it('are counted as people count them', () => {
    expect(countCharacters('')).toBe(0);
    expect(countCharacters('abc')).toBe(3);
    expect(countCharacters('👨‍👩‍👧‍👦🇫🇷e\u0301')).toBe(3);
  });

  it('are counted no further than one above the most that matters', () => {
    expect(countCharacters('a'.repeat(300), 300)).toBe(300);
    expect(countCharacters('a'.repeat(301), 300)).toBe(301);
    expect(countCharacters('👨‍👩‍👧‍👦'.repeat(1_000), 300)).toBe(301);
  });
});

describe('cutAtWord', () => {
  it('leaves what is short enough', () => expect(cutAtWord('one two', 7)).toBe('one two'));
  it('ends with a whole word', () => expect(cutAtWord('one two three', 9)).toBe('one two…'));
  it('never leaves half a character', () => expect(cutAtWord('😀'.repeat(10), 6).isWellFormed()).toBe(true));
});
