import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { expect, test } from 'vitest';
import { remarkNoBareAddresses } from './bare-addresses.ts';
import { renderMarkdown } from './render.ts';
import { eachNode } from './walk.ts';

test.each([
  'www.example.org',
  'WWW.example.org',
  'http://example.org',
  'HTTPS://example.org',
  'ada@example.org',
  'mailto:ada@example.org',
  'www\\.example.org',
  'www&period;example.org',
  'h&#116;tp://example.org',
  'ada&#64;example.org',
])('%s becomes a link by itself', address => {
  expect(renderMarkdown(`See ${address} now`).html).toContain('<a href="');
});

test('without the search for bare addresses none becomes a link, and the rest of GFM stays', () => {
  const parser = unified().use(remarkParse).use(remarkGfm).use(remarkNoBareAddresses);
  const text = 'www.a.org http://a.org a@a.org <http://b.org> [b](http://b.org) ~~b~~[^1]\n\n[^1]: b';
  const types: string[] = [];
  eachNode(parser.parse(text), node => void types.push(node.type));
  expect(types.filter(type => type === 'link')).toHaveLength(2);
  expect(types).toEqual(expect.arrayContaining(['delete', 'footnoteReference']));
});
