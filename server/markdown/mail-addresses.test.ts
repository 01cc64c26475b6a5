import { tests } from 'commonmark-spec';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { expect, test } from 'vitest';
import { withoutMailAddresses } from './mail-addresses.ts';

const whole = unified().use(remarkParse).use(remarkGfm).freeze();
const plain = unified().use(remarkParse).use(remarkGfm).use(withoutMailAddresses).freeze();

test('a text without an @ is parsed the same without the search for mail addresses', () => {
  const texts = tests.map(({ markdown }) => markdown).filter(markdown => !markdown.includes('@'));
  for (const markdown of [...texts, 'www.a.example and http://b.example', 'a&#64;b.example']) {
    expect(plain.parse(markdown)).toEqual(whole.parse(markdown));
  }
});

test('the parser for texts without an @ has no search for mail addresses', () => {
  const isSearching = (processor: typeof plain) =>
    JSON.stringify(processor.data().micromarkExtensions).includes('emailAutolink');
  expect([isSearching(whole), isSearching(plain)]).toEqual([true, false]);
});
