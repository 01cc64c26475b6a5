import { describe, expect, it } from 'vitest';
import { countCharacters } from './text.ts';

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
