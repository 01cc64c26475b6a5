import { describe, expect, it } from 'vitest';
import { countCharacters, countShortPost, cutAtWord } from './text.ts';

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

describe('the characters of a short post', () => {
  it('do not include the addresses of links and pictures', () => {
    const address = `/files/abcdefghijklmnop/${'a'.repeat(100)}.jpg`;
    expect(countShortPost(`![Ice](${address})`)).toBe(6);
    expect(countShortPost(`A [walk](https://example.com/a?b=c "Up the hill") and [back](<a b>).`)).toBe(20);
    expect(countShortPost('a'.repeat(301), 300)).toBe(301);
  });

  it('include what only looks like an address', () => {
    for (const text of ['a (b)', '[a] (b)', '](a b)', '[a](b', '](a(b)', '](<a)'])
      expect([text, countShortPost(text)]).toEqual([text, text.length]);
  });

  it('include what very long addresses have too many, so that nothing large hides in them', () => {
    const link = (length: number) => `[a](${'b'.repeat(length)})`;
    expect(countShortPost(link(1_998))).toBe(3);
    expect(countShortPost(link(5_000))).toBeGreaterThan(3_000);
    expect(countShortPost(link(1_000).repeat(3), 300)).toBeGreaterThan(300);
  });
});

describe('cutAtWord', () => {
  it('a text that is short enough is not cut', () => expect(cutAtWord('one two', 7)).toBe('one two'));
  it('a cut text ends with a whole word', () => expect(cutAtWord('one two three', 9)).toBe('one two…'));
  it('a cut never leaves half a character', () =>
    expect(cutAtWord('😀'.repeat(10), 6).isWellFormed()).toBe(true));
});
