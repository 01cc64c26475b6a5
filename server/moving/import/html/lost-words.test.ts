import { expect, it } from 'vitest';
import { wordsOfHtml } from './lost-words.ts';

it('the words of HTML are those outside of tags, comments, scripts and drawings', () => {
  expect(
    wordsOfHtml(
      '<p title="no">One</p><!-- no --><script a=">">no</SCRIPT >two<svg><style>no</style></svg> <b>th</b>ree &amp;',
    ),
  ).toBe(' One   two  three &');
});

it('the words after a comment or a script without an end count as words', () => {
  expect(wordsOfHtml('a <!-- b')).toBe('a <!-- b');
  expect(wordsOfHtml('a <script>b</style>')).toBe('a <script>b</style>');
});

it.each(['<!--', '<script>', '<script ', '<svg><style>', '</script ', '<a "', `<a '"`])(
  'HTML that never ends is read in time linear in its length: %s',
  unit => {
    const html = unit.repeat(2_000_000 / unit.length);
    expect(wordsOfHtml(html) === html).toBe(true);
  },
);
