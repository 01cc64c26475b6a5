import { expect, test } from 'vitest';
import { expectedForm, renderedForm } from '../../test/support/comparable.ts';
import { renderMarkdown } from './render.ts';

// No package has the text of the GFM specification, so these are our own examples of it and of GitHub's
// footnotes: name, Markdown, expected HTML.
const table = (head: string, body = '') =>
  `<table><thead><tr>${head}</tr></thead>${body && `<tbody>${body}</tbody>`}</table>`;
const box = (state: string, text: string) =>
  `<li class="task-list-item"><input type="checkbox" ${state} disabled> ${text}</li>`;

const examples: [string, string, string][] = [
  [
    'table',
    '| a | b |\n| - | - |\n| c | d |',
    table('<th>a</th><th>b</th>', '<tr><td>c</td><td>d</td></tr>'),
  ],
  [
    'table with alignment and without outer pipes',
    'a | b | c\n:- | :-: | -:\nd | e | f',
    table(
      '<th align="left">a</th><th align="center">b</th><th align="right">c</th>',
      '<tr><td align="left">d</td><td align="center">e</td><td align="right">f</td></tr>',
    ),
  ],
  [
    'escaped pipe in a cell, in code too',
    '| a |\n| - |\n| `\\|` **\\|** |',
    table('<th>a</th>', '<tr><td><code>|</code> <strong>|</strong></td></tr>'),
  ],
  [
    'a table ends at another block',
    '| a |\n| - |\n| b |\n> c',
    `${table('<th>a</th>', '<tr><td>b</td></tr>')}<blockquote><p>c</p></blockquote>`,
  ],
  [
    'a row without pipes',
    '| a | b |\n| - | - |\nc\n\nd',
    `${table('<th>a</th><th>b</th>', '<tr><td>c</td><td></td></tr>')}<p>d</p>`,
  ],
  ['too few columns in the rule: no table', '| a | b |\n| - |\n| c |', '<p>| a | b | | - | | c |</p>'],
  [
    'missing cells are filled, surplus cells are dropped',
    '| a | b |\n| - | - |\n| c |\n| d | e | f |',
    table('<th>a</th><th>b</th>', '<tr><td>c</td><td></td></tr><tr><td>d</td><td>e</td></tr>'),
  ],
  ['a table of a head alone', '| a |\n| - |', table('<th>a</th>')],
  [
    'task list',
    '- [ ] a\n- [x] b\n- [X] c',
    `<ul class="contains-task-list">${box('', 'a')}${box('checked', 'b')}${box('checked', 'c')}</ul>`,
  ],
  [
    'nested task list',
    '- [x] a\n  - [ ] b',
    `<ul class="contains-task-list">${box('checked', `a<ul class="contains-task-list">${box('', 'b')}</ul>`)}</ul>`,
  ],
  ['a box without text is no task', '- [ ]', '<ul><li>[ ]</li></ul>'],
  ['strikethrough', '~~a~~ ~b~', '<p><del>a</del> <del>b</del></p>'],
  ['strikethrough ends with its paragraph', '~~a\n\nb~~', '<p>~~a</p><p>b~~</p>'],
  ['three tildes do not strike', 'a ~~~b~~~', '<p>a ~~~b~~~</p>'],
  ['www link', 'www.a.org', '<p><a href="http://www.a.org">www.a.org</a></p>'],
  ['www link in a sentence', 'See www.a.org/b.', '<p>See <a href="http://www.a.org/b">www.a.org/b</a>.</p>'],
  [
    'http link with parentheses',
    '(https://a.org/b_(c))',
    '<p>(<a href="https://a.org/b_(c)">https://a.org/b_(c)</a>)</p>',
  ],
  [
    'an entity at the end stays outside',
    'www.a.org/?b&c;',
    '<p><a href="http://www.a.org/?b">www.a.org/?b</a>&amp;c;</p>',
  ],
  ['a tag ends a link', 'www.a.org/b<c', '<p><a href="http://www.a.org/b">www.a.org/b</a>&lt;c</p>'],
  ['email address', 'a.b-c_d@e.org.', '<p><a href="mailto:a.b-c_d@e.org">a.b-c_d@e.org</a>.</p>'],
  ['an address that ends in a dash is none', 'a@b.c-', '<p>a@b.c-</p>'],
  [
    'footnote',
    'a[^1]\n\n[^1]: b',
    '<p>a<sup><a href="#.fn-1" data-footnote-ref aria-describedby="user-content-footnote-label">1</a></sup></p><section data-footnotes class="footnotes"><h1 class="sr-only">Footnotes</h1><ol><li><p>b <a href="#.fnref-1" data-footnote-backref class="data-footnote-backref">↩</a></p></li></ol></section>',
  ],
  ['a footnote that is not defined is text', 'a[^1]', '<p>a[^1]</p>'],
  ['a footnote that nobody calls is not shown', 'a\n\n[^1]: b', '<p>a</p>'],
];

test.each(examples)('GitHub Flavored Markdown renders as specified: %s', (_, markdown, html) => {
  expect(renderedForm(renderMarkdown(markdown).html)).toBe(expectedForm(html));
});
