import { expect, it } from 'vitest';
import { cutMarks, hasTooManyMarks } from './marks.ts';

it.each([
  ['Hebrew with points and cantillation', 'בְּרֵאשִׁ֖ית בָּרָ֣א אֱלֹהִ֑ים אֵ֥ת הַשָּׁמַ֖יִם וְאֵ֥ת הָאָֽרֶץ׃'],
  ['Arabic with vowel signs', 'بِسْمِ ٱللَّهِ ٱلرَّحْمَٰنِ ٱلرَّحِيمِ'],
  ['Tibetan', 'བོད་སྐད་ རྡོ་རྗེ་ ཧཱུྃ་ བརྒྱུད་'],
  ['Thai', 'น้ำแข็งที่ก้นแก้ว กำลังละลาย'],
  ['Vietnamese in NFD', 'Tiếng Việt có nhiều dấu ở trên chữ'.normalize('NFD')],
  ['Devanagari', 'कार्त्स्न्य क्षत्रिय र्त्स्न्य'],
  ['a family, a flag and a kiss', '👨‍👩‍👧‍👦🏴󠁧󠁢󠁳󠁣󠁴󠁿👩🏻‍❤️‍💋‍👨🏿'.repeat(50)],
  ['Zalgo for fun', [...'Zalgo'].map(letter => letter + '\u0316\u0301\u0489'.repeat(10)).join('')],
  ['soft hyphens', 'Donau\u00addampf\u00adschiff'.repeat(20)],
])('%s is kept as it was written', (_, text) => {
  expect(cutMarks(text)).toBe(text);
  expect(hasTooManyMarks(text)).toBe(false);
});

it.each([
  ['marks', '\u0316\u0301'],
  ['marks between joiners', `${'\u0301'.repeat(10)}\u200d`],
  ['marks between word joiners', `${'\u0301'.repeat(10)}\u2060`],
  ['skin tones', '\u{1f3fb}'],
  ['Thai sara am', '\u0e33'],
  ['marks outside the first plane', '\u{1d165}'],
  ['soft hyphens', '\u00ad\u0301'],
])('of %s on one letter thirty are left, wherever they begin', (_, mark) => {
  for (const before of ['', 'x'.repeat(29), 'word '.repeat(7), '\u0915\u093f'.repeat(40)]) {
    const long = `${before}a${mark.repeat(2_000)}b`;
    const cut = cutMarks(long);
    expect(hasTooManyMarks(long)).toBe(true);
    expect(cut).toBe(`${before}a${[...mark.repeat(30)].slice(0, 30).join('')}b`);
    expect(hasTooManyMarks(cut)).toBe(false);
  }
});

it('every character that joins the one before it counts as a mark', () => {
  const segmenter = new Intl.Segmenter('en');
  const missed: string[] = [];
  for (let code = 0; code < 0x11_0000; code += 1) {
    const mark = String.fromCodePoint(code);
    if (/[\p{Cn}\p{Co}\p{Cs}\p{sc=Han}\p{sc=Hang}]/u.test(mark)) continue;
    if ([...segmenter.segment(`a${mark}`)].length > 1) continue;
    if (!hasTooManyMarks(`a${mark.repeat(31)}`)) missed.push(code.toString(16));
  }
  expect(missed).toEqual([]);
});
