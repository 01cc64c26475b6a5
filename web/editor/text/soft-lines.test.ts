import { markdownLanguage } from '@codemirror/lang-markdown';
import { Text } from '@codemirror/state';
import { expect, it } from 'vitest';
import { softLines } from './soft-lines.ts';

const ends = (content: string) =>
  softLines(Text.of(content.split('\n')), markdownLanguage.parser.parse(content));

/** The text with its lines kept, as the editor does it. */
function kept(content: string): string {
  return ends(content).reduceRight((text, at) => `${text.slice(0, at)}\\${text.slice(at)}`, content);
}

it('softLines finds the lines of a poem that would run together', () =>
  expect(kept('One\ntwo\nthree\n\nFour\nfive')).toBe('One\\\ntwo\\\nthree\n\nFour\\\nfive'));

it('softLines finds no lines that are kept already', () => {
  for (const text of [
    'One\\\ntwo',
    'One  \ntwo',
    'One\n\ntwo',
    '- one\n- two',
    '```\na\nb\n```',
    '# a\n\nb',
    '| a |\n| - |\n| b |',
    'One[^1]\n\n[^1]: a\n[^b]: b',
    '![a](/files/a)\n![](/files/b "B")\n![](/files/c)',
  ]) {
    expect([text, ends(text)]).toEqual([text, []]);
  }
});

it('softLines takes paragraphs of long lines for wrapped ones', () =>
  expect(ends(`${'word '.repeat(14)}\n${'word '.repeat(14)}\nand the end.`)).toEqual([]));

it('softLines finds the lines of a quotation', () => expect(kept('> One\n> two')).toBe('> One\\\n> two'));
