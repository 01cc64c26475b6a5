import { expect, test } from 'vitest';
import { renderMarkdown } from './render.ts';

const html = (markdown: string) => renderMarkdown(markdown).html;
const page = 'https://example.org/rain';

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
