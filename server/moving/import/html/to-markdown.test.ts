import { expect, it } from 'vitest';
import { renderMarkdown } from '../../../markdown/render.ts';
import { asMarkdown, htmlToLine, htmlToMarkdown } from './to-markdown.ts';
import { htmlToText } from './to-text.ts';

it('HTML as Markdown keeps what our posts can show', () => {
  const cases: [html: string, markdown: string][] = [
    ['<h2>A</h2><p>b <b>c </b>d</p>', '## A\n\nb **c** d'],
    [
      '<figure><img src="a.png" alt="A"><figcaption>Words <a href="x">x</a></figcaption></figure>',
      '![A](a.png)\n\n*Words [x](x)*',
    ],
    ['<video controls><source src="/b/boat.mp4"></video>', '[Video: boat.mp4](/b/boat.mp4)'],
    ['<audio src="talk%20one.mp3"></audio>', '[Audio: talk one.mp3](talk%20one.mp3)'],
    [
      '<iframe src="https://www.youtube.com/embed/abc?rel=0"></iframe>',
      '<https://www.youtube.com/watch?v=abc>',
    ],
    [
      '<details><summary>More &lt;</summary><p>Inside.</p></details>',
      '<details>\n<summary>More &lt;</summary>\n\nInside.\n\n</details>',
    ],
    ['H<sub>2</sub>O <mark>wet</mark>', 'H<sub>2</sub>O <mark>wet</mark>'],
    ['<ul><li>H<sub>2</sub>O</li></ul>', '- H<sub>2</sub>O'],
    ['<p>https://h.example/a_b_c</p>', '<https://h.example/a_b_c>'],
    ['<pre><code class="language-js">a &lt; b</code></pre>', '```js\na < b\n```'],
    ['<table><tr><th>a</th></tr><tr><td>b</td></tr></table>', '| a |\n| - |\n| b |'],
    ['<img src="data:x" data-src="a.png" alt="">', '![](a.png)'],
    ['a<img src="t.gif" width="1" height="1">b', 'ab'],
    ['&lt;script&gt; *not stressed* # no', '\\<script> \\*not stressed\\* # no'],
  ];
  for (const [html, markdown] of cases) expect([html, htmlToMarkdown(html)]).toEqual([html, markdown]);
});

it('HTML as Markdown brings nothing that could act, and shows its words as they were', () => {
  const hostile =
    '<script>a()</script><style>b</style><svg onload=a()><a href="javascript:a()">x</a><p onclick="a()">y</p><form><input></form><object data="x"></object><template>z</template>';
  const markdown = htmlToMarkdown(hostile);
  expect(markdown).not.toMatch(/<script|onload|onclick|<form|<object/);
  expect(renderMarkdown(markdown).html).not.toMatch(/javascript|script|onload/);
  expect(renderMarkdown(htmlToMarkdown('<p>&lt;img src=x onerror=a()&gt; [x](javascript:a)</p>')).text).toBe(
    '<img src=x onerror=a()> [x](javascript:a)',
  );
});

it('HTML as Markdown refuses what is too long or nested too deeply', () => {
  expect(() => htmlToMarkdown('x'.repeat(6_000_001))).toThrow('too long');
  expect(() => htmlToMarkdown('<b><i>'.repeat(30_000))).toThrow('too complex');
});

it('a title is one line of words', () => {
  expect(htmlToLine(' A <em>b</em>\n &amp; c ')).toBe('A b & c');
  expect(asMarkdown('1. *a*')).toBe('1\\. \\*a\\*');
});

it('a comment keeps its lines and says where links lead', () => {
  expect(
    htmlToText(
      '<p>a<br>b</p><p>c <a href="https://h.example/">h.example</a> <a href="https://i.example/x">this</a></p>',
    ),
  ).toBe('a\nb\n\nc h.example this (https://i.example/x)');
});
