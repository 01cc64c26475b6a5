import { expect, test } from 'vitest';
import { contentMaxCharacters } from '../../contract/constants.ts';
import { inBounds, maxNesting } from './bounds.ts';
import { renderMarkdown } from './render.ts';
import { withTimeLimit } from './time-limit.ts';

const repeated = (part: string, characters: number) => part.repeat(Math.ceil(characters / part.length));
const levels = (part: string, count: number) =>
  Array.from({ length: count }, (_, level) => `${part.repeat(level)}- a`).join('\n');

test('a text that is longer than a post may be is refused before it is parsed', () => {
  expect(() => renderMarkdown(repeated('a', contentMaxCharacters + 1))).toThrow(
    'longer than 1,000,000 characters',
  );
});

test.each([
  ['quotes', '> '.repeat(maxNesting + 1)],
  ['lists on one line', '- '.repeat(maxNesting + 1)],
  ['lists by indentation', levels('  ', maxNesting + 1)],
  ['quotes, line by line', levels('> ', maxNesting + 1)],
])('%s that nest too deep are refused with a sentence', (_, text) => {
  expect(() => renderMarkdown(`${text}a`)).toThrow('nested at most 30 levels deep');
});

test.each([
  ['a table that fills up its rows', `|${'a|'.repeat(800)}\n|${'-|'.repeat(800)}\n${'a\n'.repeat(800)}`],
  ['a long address that is referred to often', `[a]: /${'b'.repeat(20_000)}\n\n${'[a] '.repeat(500)}`],
])('%s is refused, because every reader would load what becomes of it', (_, text) => {
  expect(() => renderMarkdown(text)).toThrow('This text is too complex');
});

test.each(['a', 'a'.repeat(10_000)])('recursion that finds no more room is refused with a sentence', text => {
  const recurse = (): number => 1 + recurse();
  expect(() => inBounds(text, recurse)).toThrow('This text is too complex');
});

test.each<[string, string]>([
  ['nesting up to the limit', `${'> '.repeat(maxNesting)}a`],
  ['lists in lists by indentation', levels('  ', maxNesting)],
  ['a table of 500 rows', `|a|b|c|\n|-|-|-|\n${'| one | two *and* | [three](/c) |\n'.repeat(500)}`],
  [
    'a table whose rows are shorter than its head',
    `|${'a|'.repeat(20)}\n|${'-|'.repeat(20)}\n${'|a|\n'.repeat(900)}`,
  ],
  ['numbers whose colours alone would be too large', `\`\`\`json\n[${'1,'.repeat(9_900)}1]\n\`\`\``],
  ['a list of 1,500 items', '- an item with `code` and a [link](https://a.org/b)\n'.repeat(1_500)],
  ['a quote that is code', `\`\`\`\n${'> '.repeat(100)}a\n\`\`\``],
  [
    'code with long indentation in a list',
    `- a\n\n  \`\`\`html\n${`${' '.repeat(40)}<a href="b">[c]</a>\n`.repeat(400)}  \`\`\``,
  ],
])('%s is never refused', (_, markdown) => {
  expect(renderMarkdown(markdown).text).not.toBe('');
});

test('withTimeLimit returns the result, passes errors on, and stops what does not end', () => {
  expect(withTimeLimit(1_000, () => 'a')).toEqual({ value: 'a' });
  expect(() => withTimeLimit(1_000, () => JSON.parse('{'))).toThrow(SyntaxError);
  const endless = () => {
    while (true);
  };
  expect(withTimeLimit(20, endless)).toBeUndefined();
  expect(withTimeLimit(1_000, () => 'b')).toEqual({ value: 'b' });
});
