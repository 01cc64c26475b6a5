import { expect, test } from 'vitest';
import { withPlainCards } from './link-cards.ts';
import { renderMarkdown } from './render.ts';

const html = (markdown: string) => renderMarkdown(markdown).html;
const page = 'https://example.org/rain';
const linkTo = (words: string) => `<a href="${page}" rel="noopener noreferrer">${words}</a>`;

test('a link with a title that stands alone is a card, with its picture, its sentence and its host', () => {
  expect(html(`Before.\n\n[![](/files/abc/link.webp) On *rain*](${page} "What falls.")`)).toBe(
    `<p>Before.</p>\n<p><a href="${page}" rel="noopener noreferrer" class="link-card">` +
      '<img src="/files/abc/link.webp" alt="" loading="lazy" decoding="async"><strong> On <em>rain</em></strong> ' +
      '<span>What falls.</span> <span>example.org</span></a></p>',
  );
  expect(renderMarkdown(`[On rain](${page} "What falls.")`).text).toBe('On rain What falls. example.org');
});

test.each([
  ['one within words', `See [rain](${page} "What falls.")`],
  ['one without a title', `[rain](${page})`],
  ['one to this site', '[rain](/post/abc "What falls.")'],
  ['one of two', `[rain](${page} "a") [snow](${page} "b")`],
  ['a picture alone', `[![](/a.png)](${page} "a")`],
])('a link is a plain one: %s', (_, markdown) => expect(html(markdown)).not.toContain('link-card'));

test.each([
  [
    'with a picture',
    `[![A "<boat>"](/files/abc/link.webp) On *rain* & **snow**](${page} "What < falls.")`,
    `${linkTo('On <em>rain</em> &#x26; <strong>snow</strong>')}<br>What &#x3C; falls.`,
  ],
  ['that has no more words than its host', `[On rain](${page} "example.org")`, linkTo('On rain')],
  ['two', `[a](${page} "b")\n\n[c](${page} "d")`, `${linkTo('a')}<br>b</p>\n<p>${linkTo('c')}<br>d`],
])('a card as a plain link: %s', (_, markdown, plain) =>
  expect(withPlainCards(html(markdown))).toBe(`<p>${plain}</p>`),
);

test('what is no card stays as it is', () => {
  const other = html(`[rain](${page})\n\n<a class="link-card" href="${page}"><strong>x</strong></a>`);
  expect(withPlainCards(other)).toBe(other);
});

test('an attribute that looks like the start of a card starts none, however many there are', () => {
  const other = '<p><dfn title="<a x=">" class="link-card"><strong>b</strong></dfn></p>'.repeat(18_000);
  expect(withPlainCards(other)).toBe(other);
  expect(withPlainCards(other + html(`[On rain](${page} "What falls.")`))).toBe(
    `${other}<p>${linkTo('On rain')}<br>What falls.</p>`,
  );
});
