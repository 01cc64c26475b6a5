import { expect, it } from 'vitest';
import { countCharacters, cutAtWord, firstCharacters, isWithin } from './text.ts';

it('a flag or a family counts as one character', () => {
  expect(countCharacters('')).toBe(0);
  expect(countCharacters('abc')).toBe(3);
  expect(countCharacters('👨‍👩‍👧‍👦🇫🇷e\u0301')).toBe(3);
});

it('the count of characters stops one above the limit', () => {
  expect(countCharacters('a'.repeat(300), 300)).toBe(300);
  expect(countCharacters('a'.repeat(301), 300)).toBe(301);
  expect(countCharacters('👨‍👩‍👧‍👦'.repeat(1_000), 300)).toBe(301);
});

const family = '👨‍👩‍👧‍👦';
it('a limit counts characters as people do', () => {
  expect(isWithin(family.repeat(50), 50)).toBe(true);
  expect(isWithin(family.repeat(51), 50)).toBe(false);
  expect(isWithin('a'.repeat(51), 50)).toBe(false);
});

it.each([
  ['marks', `a${'\u0301'.repeat(49)}`],
  ['joined emoji', '👨\u200d'.repeat(25)],
  ['letters of Korean', '\u1100'.repeat(50)],
  ['consonants of Hindi', 'क्'.repeat(25)],
])('of %s that are joined without end each counts as a character', (_, text) => {
  expect(countCharacters(text)).toBe(50);
  expect([isWithin(text, 50), isWithin(text, 49)]).toEqual([true, false]);
  expect(isWithin(text.repeat(2), 50)).toBe(false);
  expect([...firstCharacters(text.repeat(2), 50)]).toHaveLength(50);
});

it('the longest emoji, and the longest ligatures of Hindi and Tibetan, are one character each', () => {
  for (const one of ['👩🏻‍❤️‍💋‍👨🏿', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', 'र्त्स्न्य', 'བརྒྱ'.slice(1)])
    expect(countCharacters(one.repeat(300))).toBe(300);
});

it('a limit cuts between characters', () => {
  expect(firstCharacters(family.repeat(3), 2)).toBe(family.repeat(2));
  expect(firstCharacters('ab', 3)).toBe('ab');
});

it('letters of Latin, Greek and Cyrillic are one character each, but for the marks that follow', () => {
  const text = Array.from({ length: 0x2028 }, (_, code) => String.fromCharCode(code))
    .filter(one => one >= ' ' && (one < '\u0300' || (one >= '\u0370' && one < '\u0483') || one > '\u200f'))
    .reverse()
    .join('');
  expect(countCharacters(text)).toBe(text.length);
  expect(firstCharacters(text, 700)).toBe(text.slice(0, 700));
  expect(firstCharacters('Cafe\u0301 noir', 4)).toBe('Cafe\u0301');
  expect(firstCharacters('\u00a9\ufe0f 2026', 1)).toBe('\u00a9\ufe0f');
  expect(cutAtWord('\u041f\u0440\u0438\u0432\u0435\u0442 \u0432\u0441\u0435\u043c', 8)).toBe(
    '\u041f\u0440\u0438\u0432\u0435\u0442\u2026',
  );
});

it('a text that is short enough is not cut', () => {
  expect(cutAtWord('one two', 7)).toBe('one two');
  expect(cutAtWord(family.repeat(30), 30)).toBe(family.repeat(30));
});

it('a cut text ends with a whole word', () => {
  expect(cutAtWord('one two three', 9)).toBe('one two…');
  expect(cutAtWord('one two three', 8)).toBe('one two…');
  expect(cutAtWord('안녕하세요 여러분 반갑습니다', 12)).toBe('안녕하세요 여러분…');
});

it.each([
  ['Chinese', '东京今天下了很大的雪，街上安静极了。'],
  ['Japanese', '東京の夜はとても静かでした。'],
  ['Thai', 'วันนี้หิมะตกหนักที่โตเกียว'],
  ['emoji', '🏔️👨‍👩‍👧‍👦🇯🇵'],
])('a text in %s is cut near the limit, not at its only space', (_, words) => {
  const cut = cutAtWord(`Tokyo ${words.repeat(70)}`, 200);
  expect(countCharacters(cut)).toBeGreaterThan(195);
  expect(countCharacters(cut)).toBeLessThanOrEqual(200);
  expect(cut.endsWith('…')).toBe(true);
  expect(words.repeat(70).startsWith(cut.slice('Tokyo '.length, -1))).toBe(true);
});

it('an address without an end is cut', () =>
  expect(cutAtWord(`See https://example.com/${'a'.repeat(90)}`, 60)).toHaveLength(60));

it('a cut never leaves a part of a character', () => {
  expect(cutAtWord('😀'.repeat(10), 6)).toBe(`${'😀'.repeat(5)}…`);
  expect(cutAtWord(family.repeat(10), 6)).toBe(`${family.repeat(5)}…`);
  expect(cutAtWord('e\u0301'.repeat(80), 6)).toBe(`${'e\u0301'.repeat(5)}…`);
});

it('a cut also bounds the marks on a character, which are endless', () =>
  expect(cutAtWord(`a${'\u0301'.repeat(10_000)}`, 60).length).toBeLessThan(1_000));

it('cutAtWord leaves no open bracket or quotation mark at the end', () =>
  expect(cutAtWord('We said: “yes, of course”', 13)).toBe('We said…'));
