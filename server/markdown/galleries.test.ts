import { expect, test } from 'vitest';
import { renderMarkdown } from './render.ts';

const html = (markdown: string, keepsLines = false) => renderMarkdown(markdown, { keepsLines }).html;
const rest = 'loading="lazy" decoding="async"';
const inGrid = `${rest} sizes="(min-width: 42rem) 28rem, 75vw"`;

test('pictures in one paragraph are a grid, and their titles are captions', () => {
  const grid =
    '<div class="gallery">' +
    `<figure><img src="/a.jpg" alt="A gate" ${inGrid}><figcaption>The old &#x3C;gate></figcaption></figure>` +
    `<figure><img src="/b.jpg" alt="" ${inGrid}></figure>` +
    '</div>';
  const markdown = '![A gate](/a.jpg "The old <gate>")\n![](/b.jpg)';
  expect(html(markdown)).toBe(grid);
  expect(html(markdown, true)).toBe(grid);
  expect(html(markdown.replace('\n', ' '))).toBe(grid);
});

test('a picture that stands alone has its title below as a caption', () => {
  expect(html('![A gate](/a.jpg "The gate")')).toBe(
    `<figure><img src="/a.jpg" alt="A gate" ${rest}><figcaption>The gate</figcaption></figure>`,
  );
  expect(html('![A gate](/a.jpg)')).toBe(`<p><img src="/a.jpg" alt="A gate" ${rest}></p>`);
});

test.each([
  ['![Waves](/files/a/v.mp4 "By the sea")', 'video', 'Video: Waves'],
  ['[Video: Waves](/files/a/v.mp4 "By the sea")', 'video', 'Video: Waves'],
  ['![Waves](/files/a/s.mp3 "By the sea")', 'audio', 'Audio: Waves'],
])('the title of %s is its caption, which is searchable', (markdown, player, name) => {
  const { html, text } = renderMarkdown(markdown);
  expect(html).toMatch(
    new RegExp(`^<figure><${player} .*</${player}>.*<figcaption>By the sea</figcaption></figure>$`),
  );
  expect(html).not.toContain('title=');
  expect(text).toBe(`${name} By the sea`);
});

test('a video within a sentence or named by a camera has no caption', () => {
  expect(html('See ![Waves](/files/a/v.mp4 "By the sea")')).toMatch(/^<p>See <video .*<\/p>$/);
  expect(html('![Waves](/files/a/v.mp4 "IMG_2041.MOV")')).toMatch(/^<video /);
});

test('pictures before and after a video in one paragraph are a grid each, and all keep their captions', () => {
  const markdown = '![](/a.jpg "A")\n![](/b.jpg)\n[Video: Waves](/files/a/v.mp4)\n![](/c.jpg "C")';
  const shape = html(markdown).replaceAll(/ [\w-]+="[^"]*"| controls|<a.*?<\/a>|<span.*?<\/span>/g, '');
  expect(shape).toBe(
    '<div><figure><img><figcaption>A</figcaption></figure><figure><img></figure></div>' +
      '<video></video><figure><img><figcaption>C</figcaption></figure>',
  );
  expect(renderMarkdown(markdown).readable).toBe(markdown);
});

test('pictures beside words, or that are links such as badges, stay in their line', () => {
  for (const line of ['See ![](/a.jpg)\n![](/b.jpg)', '[![](/a.jpg)](/x) [![](/b.jpg)](/y)'])
    expect(html(line)).toMatch(/^<p>.*<\/p>$/s);
});

test('captions are searchable, and readers who may have the Markdown get them', () => {
  const markdown = '![A gate](/a.jpg "Oak")\n![B](/b.jpg)';
  expect(renderMarkdown(markdown)).toMatchObject({ text: 'A gate Oak B', readable: markdown });
});

test('a caption shows characters that the editor has escaped', () =>
  expect(html('![](/a.jpg "A \\"gate\\" \\\\ \\& <b>*old*</b>")')).toContain(
    '<figcaption>A "gate" \\ &#x26; &#x3C;b>*old*&#x3C;/b></figcaption>',
  ));

test('the name that a camera gave to a picture is not shown as its caption', () =>
  expect(html('![](/a.jpg "IMG_2041.jpg")')).toBe(`<p><img src="/a.jpg" alt="" ${rest}></p>`));

test('of seven pictures, the fifth says how many the timeline leaves out; six are all shown', () => {
  const pictures = (count: number) => Array.from({ length: count }, (_, at) => `![](/${at}.jpg)`).join('\n');
  expect(html(pictures(7))).toContain('<figure data-more="2"><img src="/4.jpg"');
  expect(html(pictures(6))).not.toContain('data-more');
});
