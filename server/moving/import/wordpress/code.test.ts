import { expect, it } from 'vitest';
import { renderMarkdown } from '../../../markdown/render.ts';
import { lostWords } from '../html/lost-words.ts';
import { withoutCode } from './code.ts';
import { contentOf } from './content.ts';

const none = new Map();
const site = {
  address: 'walks.example',
  total: 0,
  attachments: none,
  uploadedTo: none,
  posts: none,
  blocks: none,
  authors: none,
  others: none,
};
const convert = async (written: string) => await contentOf(written, { site, postId: '1', meta: none });

const php = '<?php\n\nif ($a < 3 && $b) {\n  echo "<b>[gallery]</b>"; // a &amp; b\n}';
const fenced = `\`\`\`php\n${php}\n\`\`\``;

it.each([
  ['WP-Syntax', `<pre lang="php" line="1">\n${php}\n</pre>`],
  ['WP-Syntax, escaped', `<pre lang="php" escaped="true">${escaped(php)}</pre>`],
  ['SyntaxHighlighter', `[sourcecode language="php"]\n${php}\n[/sourcecode]`],
  ['SyntaxHighlighter, as WordPress.com saves it', `[code lang="php"]${escaped(php)}[/code]`],
  ['a shortcode of the language', `[php]\n${php}\n[/php]`],
  ['CodeColorer', `[cc lang='php' tab_size="2"]\n${php}\n[/cc]`],
  ['CodeColorer by language', `[ccel_php]${php}[/ccel_php]`],
  ['Crayon', `<pre class="lang:php decode:true " title="a.php">${escaped(php)}</pre>`],
  ['Crayon, raw', `<pre class="toolbar:1 lang:php">${php}</pre>`],
  ['Enlighter', `<pre class="EnlighterJSRAW" data-enlighter-language="php">${php}</pre>`],
  ['an element', `<pre><code class="language-php">${php}</code></pre>`],
  ['the visual editor', `[php]${escaped(php).replaceAll('\n', '<br />\n')}[/php]`],
])('code of %s keeps its words and lines', async (_, written) => {
  const { content, words, notes } = await convert(`Before.\n\n${written}\n\nAfter.`);
  expect(content).toBe(`Before.\n\n${fenced}\n\nAfter.`);
  expect(notes).toEqual([]);
  expect(lostWords(words, renderMarkdown(content).text)).toBeUndefined();
});

it('code within a line stays there, and names of shortcodes as words are words', async () => {
  expect((await convert('Call [code]f<T>(a)[/code] or <code>Map<K, V></code> now.')).content).toBe(
    'Call `f<T>(a)` or `Map<K, V>` now.',
  );
  expect((await convert('Write [[code]a[/code]], or [c] alone.')).content).toBe(
    'Write \\[code]a\\[/code], or \\[c] alone.',
  );
});

it('code that is HTML already, and a poem, are converted as such', async () => {
  expect(
    (await convert('<!-- wp:code --><pre class="wp-block-code"><code>a &lt; <b>b</b></code></pre>')).content,
  ).toBe('```\na < b\n```');
  expect((await convert('<!-- wp:verse --><pre class="wp-block-verse">a\nb</pre>')).content).toBe('a\\\nb');
});

it('many openings without an end take no time', () => {
  const written = '[code] [php] <pre> '.repeat(20_000);
  expect(withoutCode(written)).toEqual({ content: written, codes: [] });
});

it('words that are missing are counted', () => {
  const words = Array.from({ length: 200 }, (_, index) => `w${index}`);
  expect(lostWords(words.join(' '), words.slice(2).join(' '))).toBeUndefined();
  expect(lostWords(words.join(' '), words.slice(3).join(' '))).toBe(
    '3 of its 200 words are missing here: compare it with the original',
  );
  expect(lostWords('春天 hill hill', '春 hill')).toContain('2 of its 4 words');
});

function escaped(code: string): string {
  return code.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
