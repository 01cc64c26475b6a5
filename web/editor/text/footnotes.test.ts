import { markdownLanguage } from '@codemirror/lang-markdown';
import { expect, it } from 'vitest';
import { referencesWithoutNote } from './footnotes.ts';

const without = (text: string) => referencesWithoutNote(text, markdownLanguage.parser.parse(text));

it('references to footnotes that have no note are found once each, in their order', () => {
  expect(without('One[^b], two[^1], three[^b].\n\n[^1]: Note.')).toEqual(['[^b]']);
  expect(without('See[^2]: and[^1]:\n\n> [^3]: A note.')).toEqual(['[^2]', '[^1]']);
});

it('references to footnotes that have a note are left out, wherever it stands', () => {
  for (const note of ['[^n]: Note.', '> [^n]: Note.', '- [^N]: Note.', '[^n]:\n    Note.']) {
    expect([note, without(`Word[^n]\n\n${note}`)]).toEqual([note, []]);
  }
});

it('what is no reference to a footnote is left out', () => {
  for (const text of [
    '`a[^1]`',
    '```\n[^1]\n```',
    'a\\[^1]',
    '<!-- [^1] -->',
    '[^1](https://example.org)',
    '[^]',
  ]) {
    expect([text, without(text)]).toEqual([text, []]);
  }
});
