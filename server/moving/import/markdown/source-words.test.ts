import { expect, it } from 'vitest';
import { renderMarkdown } from '../../../markdown/render.ts';
import { lostWords } from '../html/lost-words.ts';
import { readMarkdown } from './text.ts';
import { Vault } from './vault.ts';

/** What the report says about a file. */
function told(text: string, path = 'a.md', vault?: Vault): string | undefined {
  const { content, sourceWords } = readMarkdown(path, text, 'UTC', vault);
  const words = sourceWords();
  return words === undefined ? undefined : lostWords(words, renderMarkdown(content).text);
}

it('words that a Markdown file loses are counted', () => {
  expect(told('One two three.\n\n<svg><text>four five</text></svg>')).toBeUndefined();
  expect(told('A `Map` is no List<String> of mine.')).toMatch(/^1 of its 8 words/);
  expect(told('One.\n\n[^1]: Nobody refers to this.')).toMatch(/^4 of its 5 words/);
  expect(told('|a|\n|-|\n|b|lost cell|')).toMatch(/^2 of its 4 words/);
  expect(told('{/* open\n\nOne two.', 'a.mdx')).toBeUndefined();
  expect(told('<Card title="Beware of dogs" kind="note">\n\nInside.\n\n</Card>', 'a.mdx')).toMatch(
    /^3 of its 4/,
  );
});

it('a Markdown file with the signs of its generator or vault loses no words', () => {
  const vault = new Vault(['boats.md', 'a.md'], true);
  for (const [text, path] of [
    ['# A title\n\n<div class="x">\n\nOne **two**\n\n</div>\n\n<!-- hidden words -->', 'a.md'],
    ['{{< figure src="a.png" caption="The hill" >}} {{< mine a="b" >}}Inside.{{< /mine >}}', 'a.md'],
    ['{% highlight ruby linenos %}\nputs 1\n{% endhighlight %}\n{% comment %}none{% endcomment %}', 'a.md'],
    [
      "import A from './a.js'\n\nexport const b = [\n  'c',\n]\n\n<A b={b} />\n\nOne {/* two */} three.",
      'a.mdx',
    ],
    ['See [[boats|my boats]] and [[boats#Oars]] %%not this%% ==marked== text. ^abc', 'a.md'],
    ['> [!note] Mind\n> the gap\n\n![IMG_4711.jpg](IMG_4711.jpg) [^1]\n\n[^1]: A note.', 'a.md'],
    ['Un*believ*able[^1] <b>wo</b>rds &amp; <u>x</u><br>y\n\n[^1]: Of [a](/b "title").', 'a.md'],
  ] as const)
    expect([text, told(text, path, vault)]).toEqual([text, undefined]);
});

it('signs that never end, and a long row of spaces, are read in time linear in the text', () => {
  const vault = new Vault([], true);
  for (const part of ['{{', '{% ', ' ']) {
    const text = `One ${part.repeat(400_000 / part.length)}two`;
    const { content, sourceWords } = readMarkdown('a.md', text, 'UTC', vault);
    expect([content === text, sourceWords()?.endsWith('two ')]).toEqual([
      true,
      part === ' ' ? undefined : true,
    ]);
  }
});
