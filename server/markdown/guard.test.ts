import { describe, expect, test } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import { cpuSecondsOf } from '../../test/cpu.ts';
import { maxNesting } from './guard.ts';
import { renderMarkdown } from './render.ts';
import { runWithin } from './time-limit.ts';

const size = 100_000;
const repeated = (part: string, characters = size) => part.repeat(Math.ceil(characters / part.length));
const levels = (part: string, count: number) =>
  Array.from({ length: count }, (_, level) => `${part.repeat(level)}- a`).join('\n');

// Test case 59 and every shape that measurements found to be quadratic or deep.
const bombs: [string, string][] = [
  ...[
    '[',
    ']',
    '*',
    '_',
    '`',
    '>',
    '!',
    '~',
    '<',
    '|',
    '#',
    '-',
    ':',
    '@',
    '\\',
    '&',
    '(',
    '.',
    '\t',
    ' ',
    '\n',
    'a',
  ].map((part): [string, string] => [`100,000 of ${JSON.stringify(part)}`, repeated(part)]),
  ...[
    '![[[[',
    '![',
    '[a](',
    '[a](b "',
    '[a](<b',
    '[a][b]',
    '[a',
    'a](b)',
    '[*',
    '*[a]',
    '[^a]',
    '](a)',
    '**a** ',
  ].map((part): [string, string] => [`repeated ${part}`, repeated(part)]),
  ...[
    '*a ',
    "a *'",
    'a* ',
    '*a_b ',
    'a**b',
    '*_ a ',
    '~a ~~b ',
    '_a __b ',
    'a_@',
    '`a ``b ',
    '<!-- ',
    'a <?',
    'a <![CDATA[',
  ].map((part): [string, string] => [`repeated ${part}`, repeated(part)]),
  ...[
    '<a ',
    '<a b="',
    '<b>',
    '<div>\n\n',
    '<style>',
    '</b>',
    'www.a.b ',
    'a@b.c ',
    'http://a.b/ ',
    '&amp;',
    'a  \n',
  ].map((part): [string, string] => [`repeated ${JSON.stringify(part)}`, repeated(part)]),
  ...[
    '- ',
    '+ ',
    '1. ',
    '> ',
    '- 1. > ',
    '- a\n',
    '- - - a\n\np\n\n',
    '- [ ] a\n',
    '> a\n\n',
    'a\n=\n\n',
    'a\n-\n',
    '# a\n',
  ].map((part): [string, string] => [`repeated ${JSON.stringify(part)}`, repeated(part)]),
  ...['```\n', '- ```\n', '    a\n\n', '[a]: b\n', '[^a]: b\n\n', '[^a]: ', '|a|\n|-|\n\n', 'a\n\n'].map(
    (part): [string, string] => [`repeated ${JSON.stringify(part)}`, repeated(part)],
  ),
  ['nested emphasis', repeated('*a ', size / 2) + repeated('a* ', size / 2)],
  ['nested mixed emphasis', repeated('*_a ', size / 2) + repeated('a_* ', size / 2)],
  ['nested links', repeated('[', size / 2) + repeated('](a)', size / 2)],
  ['nested images', repeated('![', size / 2) + repeated('](a)', size / 2)],
  ['nested lists', levels('  ', 300)],
  ['nested quotes, line by line', levels('> ', 300)],
  ['long link text', `[${repeated('a b ')}](c)`],
  ['long link text without end', `[${repeated('a b ')}`],
  ['long destination', `[a](${repeated('b')})`],
  ['deep parentheses', `[a](${repeated('(')})`],
  ['code spans of every length', Array.from({ length: 440 }, (_, at) => '`'.repeat(at + 1)).join(' ')],
  ['wide table', `|${repeated('a|', size / 2)}\n|${repeated('-|', size / 2)}`],
  [
    'table that is filled up',
    `|${repeated('a|', 3_000)}\n|${repeated('-|', 3_000)}\n${repeated('a\n', 3_000)}`,
  ],
  ['long table', `|a|b|\n|-|-|\n${repeated('|a|b|\n')}`],
  [
    'many definitions and references',
    `${numbered(5_000, at => `[${at}]: /x\n`)}\n${numbered(5_000, at => `[${at}] `)}`,
  ],
  ['many footnotes', numbered(5_000, at => `[^${at}]\n\n[^${at}]: x\n\n`)],
  ['a line of 1 MB', repeated('word ', 1_000_000)],
  ['code that is slow to colour', `\`\`\`arduino\n${repeated('a\n', 19_000)}\`\`\``],
];

function numbered(count: number, part: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => part(at)).join('');
}

describe('Markdown bombs', () => {
  test.each(bombs)('59. %s is rendered or refused in time', (_, markdown) => {
    const seconds = cpuSecondsOf(() => {
      try {
        renderMarkdown(markdown);
      } catch (error) {
        expect(error).toBeInstanceOf(AppError);
        expect(error).toMatchObject({ code: 'invalid-argument' });
        // By its weight, before it is parsed: the watchdog, which has another sentence, is for what nobody foresaw.
        expect((error as AppError).message).toMatch(/has too many|can be nested/);
      }
    });
    expect(seconds).toBeLessThan(4);
  });

  test('the sentence says what to change', () => {
    expect(() => renderMarkdown(repeated('- a\n'))).toThrow('This text has too many lists and quotes');
    expect(() => renderMarkdown(repeated('a\n=\n\n'))).toThrow('This text has too many underlined headings');
    expect(() => renderMarkdown(repeated('a', 1_000_001))).toThrow('longer than 1,000,000 characters');
    expect(() => renderMarkdown(`${'> '.repeat(maxNesting + 1)}a`)).toThrow('at most 30 levels deep');
  });
});

describe('texts that people write', () => {
  test.each<[string, string]>([
    ['nesting up to the limit', `${'> '.repeat(maxNesting)}a`],
    ['lists in lists by indentation', levels('  ', 25)],
    ['a table of 500 rows', `|a|b|c|\n|-|-|-|\n${'| one | two *and* | [three](/c) |\n'.repeat(500)}`],
    ['a list of 1,500 items', '- an item with `code` and a [link](https://a.org/b)\n'.repeat(1_500)],
    ['names with underscores', 'some_long_name another_long_name, '.repeat(500)],
    ['a paragraph of 300 links', 'See [one](https://a.org/1) and **two**. '.repeat(300)],
    ['prose of 500,000 characters', 'A *paragraph* of some words, `code` and so on.\n\n'.repeat(10_000)],
    [
      'code of 50,000 characters',
      `\`\`\`js\n${"const a = [b(c), '*', `_`, x < y ? [1] : z];\n".repeat(1_100)}\`\`\``,
    ],
    [
      'code with long indentation in a list',
      `- a\n\n  \`\`\`html\n${`${' '.repeat(40)}<a href="b">[c]</a>\n`.repeat(400)}  \`\`\``,
    ],
  ])('%s is never refused', (_, markdown) => {
    expect(renderMarkdown(markdown).text).not.toBe('');
  });
});

describe('runWithin', () => {
  test('returns the result, passes errors on, and stops what does not end', () => {
    expect(runWithin(1_000, () => 'a')).toEqual({ value: 'a' });
    expect(() => runWithin(1_000, () => JSON.parse('{'))).toThrow(SyntaxError);
    const endless = () => {
      while (true);
    };
    expect(runWithin(20, endless)).toBeUndefined();
    expect(runWithin(1_000, () => 'b')).toEqual({ value: 'b' });
  });
});
