import { expect, test } from 'vitest';
import { renderMarkdown } from './render.ts';

const html = (markdown: string) => renderMarkdown(markdown).html;
const text = (markdown: string) => renderMarkdown(markdown).text;

const short = (markdown: string) => renderMarkdown(markdown, { keepsLines: true }).html;

test('where lines are kept, one Enter is one line; elsewhere it is a space, as CommonMark says', () => {
  expect(short('One\n  two **and\nthree**\n\nFour')).toBe(
    '<p>One<br>\ntwo <strong>and<br>\nthree</strong></p>\n<p>Four</p>',
  );
  expect(html('One\ntwo')).toBe('<p>One\ntwo</p>');
  expect(short('One  \ntwo\\\nthree')).toBe(html('One  \ntwo\\\nthree'));
  expect(short('```\na\nb\n```')).toBe(html('```\na\nb\n```'));
  expect(short('- a\n- b')).toBe(html('- a\n- b'));
  expect(renderMarkdown('One\ntwo', { keepsLines: true })).toMatchObject({
    text: 'One two',
    readable: 'One\ntwo',
  });
});

test('bold beside Chinese and Japanese punctuation is bold', () => {
  expect(html('**注意：**正文')).toMatch(/<strong>注意：<\/strong>正文/);
  expect(html('~~注意：~~正文')).toMatch(/<del>注意：<\/del>正文/);
});

const player =
  '<video src="/f/a_b.mp4" controls preload="metadata" aria-label="a_b.mp4"><a href="/f/a_b.mp4">Download the video a_b.mp4</a></video><span class="printed" hidden>Video: a_b.mp4</span>';

test('a link to an .mp4 labelled Video: is a player, and takes the place of its paragraph', () => {
  expect(html('[Video: a_b.mp4](/f/a_b.mp4)')).toBe(player);
});

test('a player within text stays in its paragraph, in a list item in its item', () => {
  expect(html('See [Video: a_b.mp4](/f/a_b.mp4) now')).toBe(`<p>See ${player} now</p>`);
  expect(html('- [Video: a_b.mp4](/f/a_b.mp4)')).toBe(`<ul>\n<li>${player}</li>\n</ul>`);
});

test.each(['/a.MP4', '/a.mp4?token=1&b=.txt', 'https://a.org/b%20c.mp4#t=10', 'a.mp4', '/a.webm'])(
  'a link to %s labelled Video: is a player',
  address => {
    expect(html(`[Video: a](${address})`)).toContain('<video');
  },
);

test.each([
  '[Video: a](/a.mp4.html)',
  '[Video: a](/a?b=.mp4)',
  '[a](/a.mp4)',
  '[My Video: a](/a.mp4)',
  '[Video](/a.mp4)',
])('%s stays a link and is no player', markdown => expect(html(markdown)).not.toContain('<video'));

const sound = (name: string, label = name) =>
  `<audio src="/files/a/${name}" controls preload="metadata" aria-label="${label}"><a href="/files/a/${name}">Download the sound ${label}</a></audio><span class="printed" hidden>Audio: ${label}</span>`;

test('an image whose address is a video or a sound of the site is a player, named by its words or its file', () => {
  const boat = player
    .replaceAll('/f/', '/files/')
    .replaceAll('a_b.mp4', 'Boat')
    .replaceAll('/Boat', '/a_b.mp4');
  expect(renderMarkdown('![Boat](/files/a_b.mp4)')).toEqual({
    html: boat,
    text: 'Video: Boat',
    readable: '![Boat](/files/a_b.mp4)',
  });
  expect(renderMarkdown('Hear ![](/files/a/rain.mp3) now')).toEqual({
    html: `<p>Hear ${sound('rain.mp3')} now</p>`,
    text: 'Hear Audio: rain.mp3 now',
    readable: 'Hear ![](/files/a/rain.mp3) now',
  });
  expect(html('<img src="/files/a/rain.ogg" alt="Rain">')).toContain('<audio src="/files/a/rain.ogg"');
  expect(html('![The rain](/files/a/rain.opus "At night")')).toBe(
    `<figure>${sound('rain.opus', 'The rain')}<figcaption>At night</figcaption></figure>`,
  );
});

test.each([
  '![a](https://a.org/files/a.mp4)',
  '![a](/a.mp4)',
  '![a](/files/a.jpg)',
  '[![a](/files/a.mp4)](/b)',
])('%s stays an image and is no player', markdown => {
  expect(html(markdown)).toContain('<img src=');
  expect(html(markdown)).not.toContain('<video');
});

test('a link to a sound of the site labelled Audio: is a player, as imports write it', () => {
  expect(html('[Audio: Rain](/files/a/rain.mp3)')).toBe(sound('rain.mp3', 'Rain'));
  expect(html('[Audio: Rain](https://a.org/rain.mp3)')).not.toContain('<audio');
  expect(html('[Rain](/files/a/rain.mp3)')).not.toContain('<audio');
});

test('without a name in the label, the player is named by its file', () => {
  expect(html('[Video:](/f/a.mp4?b)')).toContain('aria-label="a.mp4"');
});

test('what a camera calls a picture or video is neither its alternative text nor its name', () => {
  expect(renderMarkdown('a ![IMG_4711.HEIC.jpg](/a.jpg) b')).toMatchObject({
    html: expect.stringContaining('alt=""'),
    text: 'a b',
  });
  expect(html('![Rain](/IMG_4711.jpg)')).toContain('alt="Rain"');
  const video = renderMarkdown('[Video: VID_20240101_1.mp4](/f/VID_20240101_1.mp4)');
  expect(video).toMatchObject({ html: expect.stringContaining('aria-label="Video"'), text: 'Video' });
});

test('images whose alternative text starts with Video: are hidden, and leave nothing behind', () => {
  expect(html('a ![Video: poster](/a.png) b')).toBe('<p>a  b</p>');
  expect(html('![Video: poster](/a.png)')).toBe('');
  expect(html('[![Video: poster](/a.png)](/b)')).toBe('');
  expect(html('![A Video: shown](/a.png)')).toContain('<img');
});

test.each([
  ['# a\n## b\n# c', 'h2 h3 h2'],
  ['## a\n### b\n## c', 'h2 h3 h2'],
  ['# a\n#### b\n## c\n#### d', 'h2 h3 h3 h4'],
  ['### a\n## b\n# c', 'h2 h2 h2'],
  ['# a\n## b\n### c\n#### d\n##### e\n###### f', 'h2 h3 h4 h5 h6 h6'],
])('headings of %j make an outline without gaps below the title', (markdown, levels) => {
  expect([...html(markdown).matchAll(/<(h\d)/g)].map(([, name]) => name).join(' ')).toBe(levels);
});

test('headings link to themselves without text', () => {
  expect(html('# A *b*')).toBe(
    '<h2 id="user-content-a-b">A <em>b</em><a class="anchor" href="#user-content-a-b" aria-hidden="true" tabindex="-1"></a></h2>',
  );
  expect(html('<h1>A</h1>')).toMatch(/^<h2 /);
  expect(html('#')).toBe('<h2></h2>');
});

test('headings have unique ids, and fragment links find them', () => {
  expect(html('# A\n\n# A')).toContain('id="user-content-a-1"');
  expect(html('# A b\n\n[c](#a-b)')).toContain('<a href="#user-content-a-b">c</a>');
  expect(html('<a id="old"></a> [c](#old)')).toContain(
    '<a id="user-content-old"></a> <a href="#user-content-old">',
  );
});

test('headings cannot take the id of a footnote, of another element or of the page', () => {
  const rendered = html('# fn 1\n\n# footnote label\n\n<a id="fn-1"></a> a[^1]\n\n[^1]: b');
  const ids = [...rendered.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every(id => id?.startsWith('user-content-'))).toBe(true);
});

test('footnotes lead there and back within the ids of their own post', () => {
  const { html: rendered } = renderMarkdown('# Top\n\na[^n] [up](#top)\n\n[^n]: b', { idPrefix: 'p1-' });
  const ids = new Set([...rendered.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id));
  const targets = [...rendered.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id);
  expect(targets).toHaveLength(4);
  expect(targets.filter(target => !ids.has(target))).toEqual([]);
  expect([...ids].every(id => id?.startsWith('user-content-p1-'))).toBe(true);
  expect(rendered).toContain('aria-describedby="user-content-p1-footnote-label"');
});

test('an idPrefix that could not be part of an id is a bug', () => {
  expect(() => renderMarkdown('a', { idPrefix: 'a b' })).toThrow(TypeError);
});

test('a table scrolls in a region named by its head, aligned without styles', () => {
  const rendered = html('| A | B |\n| :- | -: |\n| `c` | d |');
  expect(rendered).toContain(
    '<div class="table-scroll" tabindex="0" role="region" aria-label="Table: A B"><table>',
  );
  expect(rendered).toContain('<td align="left"><code>c</code></td>');
  expect(rendered).not.toContain('style');
});

test('code can be scrolled by keyboard and is coloured by classes', () => {
  expect(html('```ts\nconst a = 1;\n```')).toBe(
    '<pre tabindex="0"><code class="hljs language-ts"><span class="hljs-keyword">const</span> a = <span class="hljs-number">1</span>;\n</code></pre>',
  );
  expect(html('    a')).toBe('<pre tabindex="0"><code>a\n</code></pre>');
});

test('code in an unknown language or of great length stays plain, also within tags', () => {
  expect(html('```klingon\nif\n```')).not.toContain('<span');
  expect(html(`\`\`\`js\n${'if\n'.repeat(7_000)}\`\`\``)).not.toContain('<span');
  expect(html(`\`\`\`js\n${'if\n'.repeat(1_000)}\`\`\``)).toContain('<span');
  const inTags = `<code class="language-js"><b>${'if '.repeat(7_000)}</b></code>`;
  expect(html(`<pre>${inTags}</pre>`)).not.toContain('<span');
});

test('boxes of tasks are disabled and have names', () => {
  const rendered = html('- [ ] a\n- [x] b');
  expect(rendered).toContain('<input type="checkbox" disabled aria-label="Not done">');
  expect(rendered).toContain('<input type="checkbox" checked disabled aria-label="Done">');
});

test('images load lazily', () => {
  expect(html('See ![a](b.png "c")')).toBe(
    '<p>See <img src="b.png" alt="a" title="c" loading="lazy" decoding="async"></p>',
  );
});

test.each([
  ['H<sub>2</sub>O <kbd class="k">K</kbd><br>b', '<p>H<sub>2</sub>O <kbd>K</kbd><br>b</p>'],
  ['a <unknown>b</unknown> <b>c', '<p>a b c</p>'],
  ['a <!-- hidden --> b', '<p>a  b</p>'],
  ['<!-- hidden\n\nmore -->\n\na', '<p>a</p>'],
  ['a<script>b</script>c', '<p>ac</p>'],
  ['<div style="float:left">\na &amp; b\n</div>', '<div>\na &#x26; b\n</div>'],
  ['<center>a</center>', '<div>a</div>'],
  [
    '<iframe src="https://a.org/b"></iframe>',
    '<p><a href="https://a.org/b" rel="noopener noreferrer">https://a.org/b</a></p>',
  ],
  [
    '<img src="a.png" width="10" height="20%">',
    '<p><img width="10" src="a.png" alt="" loading="lazy" decoding="async"></p>',
  ],
  ['<ul><li>a<li>b</ul>', '<ul><li>a</li><li>b</li></ul>'],
  ['a <p>b</p> <a href="c"><a href="d">e</a></a>', '<p>a b <a href="c">e</a></p>'],
])('HTML in a text becomes what readers may get: %s', (markdown, expected) =>
  expect(html(markdown)).toBe(expected),
);

test('Markdown between tags is rendered inside of them', () => {
  expect(html('<details open>\n<summary>A</summary>\n\n*b*\n\n</details>')).toBe(
    '<details open>\n<summary>A</summary>\n<p><em>b</em></p>\n</details>',
  );
});

test.each([
  ['# A *b*\n\nc\nd  \ne', 'A b c d e'],
  ['- a\n- b\n\n| c | d |\n|-|-|\n| e | f |', 'a b c d e f'],
  ['**a**b `c`', 'ab c'],
  ['```js\nconst a = `b`;\n```', 'const a = `b`;'],
  ['a[^1] b\n\n[^1]: c', 'a b c'],
  ['- [x] a', 'a'],
  ['![alt](a.png) [b](c) [Video: d.mp4](d.mp4)', 'alt b Video: d.mp4'],
  ['![Video: a](a.png)', ''],
  ['&lt;b&gt; <i>a</i> <script>c</script>', '<b> a'],
])('the plain text of %j is %j', (markdown, expected) => expect(text(markdown)).toBe(expected));
