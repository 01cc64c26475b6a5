import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lettersOf, lettersOfTerm } from './letters.ts';

const letter = fc.oneof(
  fc.constantFrom(...'aAiIıİßsSςσΣñÑ李_%@. '),
  fc.constantFrom('\u0307', '\u0301', 'ǆ', 'ﬁ', '😀'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
);

it('finds a text by every part of it, in any case and spelling', () => {
  const spellings = [
    (part: string) => part,
    (part: string) => part.toLowerCase(),
    (part: string) => part.toUpperCase(),
  ];
  fc.assert(
    fc.property(
      fc.array(letter, { maxLength: 4 }),
      fc.array(letter, { minLength: 1, maxLength: 6 }),
      fc.array(letter, { maxLength: 4 }),
      fc.constantFrom(...spellings),
      (before, part, after, spell) => {
        const letters = new Set(lettersOf([[...before, ...part, ...after].join('')]));
        expect(lettersOfTerm(spell(part.join(''))).filter(sequence => !letters.has(sequence))).toEqual([]);
      },
    ),
    { numRuns: 2_000 },
  );
});

it('a term without letters has no sequences, a short text has each of its few', () => {
  expect(lettersOfTerm('\u0307')).toEqual([]);
  expect(lettersOfTerm('Aß')).toEqual(['ass']);
  expect(lettersOf(['ab']).sort()).toEqual(['a', 'ab', 'b']);
});
