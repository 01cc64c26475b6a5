import { expect, it } from 'vitest';
import { readMarkdown } from './text.ts';

const read = (text: string, source = 'a-long-walk.md') => readMarkdown(source, text, 'UTC');
const long = 'Words and words. '.repeat(30);

it('an import of Markdown takes the title of the front matter', () => {
  expect(read('---\ntitle: Rivers\n---\n# Lakes\n\nText')).toMatchObject({
    title: 'Rivers',
    content: '# Lakes\n\nText',
  });
});
it('an import of Markdown drops a heading that repeats the title', () => {
  expect(read('---\ntitle: Rivers\n---\n\n# Rivers\n\nText').content).toBe('Text');
});
it('an import of Markdown else takes the first heading for the title, and out of the content', () => {
  expect(read('# On *rivers* &amp; lakes\n\nText')).toMatchObject({
    title: 'On rivers & lakes',
    content: 'Text',
  });
  expect(read('Rivers\n===\n\nText')).toMatchObject({ title: 'Rivers', content: 'Text' });
  expect(read('```\n# not this\n```\n\n# Rivers')).toMatchObject({
    title: 'Rivers',
    content: '```\n# not this\n```',
  });
});
it('an import of Markdown takes the words of the file name for the title of a text without any, or of the folder for an index', () => {
  expect(read(long)).toMatchObject({ title: undefined, fallbackTitle: 'A long walk' });
  expect(read(long, '2020-05-17-a_walk.md')).toMatchObject({
    fallbackTitle: 'A walk',
    date: Date.UTC(2020, 4, 17, 12),
  });
  expect(read(long, 'trips/to-the-sea/index.mdx').fallbackTitle).toBe('To the sea');
});

it('an import of Markdown takes what lies among drafts for a draft', () => {
  expect(read('Text', 'blog/_drafts/idea.md').isDraft).toBe(true);
});

it('an import of Markdown drops what only the compiler of MDX understands', () => {
  const mdx = [
    "import { Chart } from './chart.js'",
    'export const data = [',
    '  1,',
    ']',
    '',
    '<Chart data={data}>',
    '*Inside*',
    '</Chart>',
    '',
    '{/* a comment',
    'of two lines */}',
    '',
    'import duties were raised',
    '',
    '```js',
    "import fs from 'node:fs';",
    '```',
  ].join('\n');
  const { content } = readMarkdown('chart.mdx', mdx, 'UTC');
  expect(content).toContain('*Inside*');
  expect(content).toContain("import fs from 'node:fs';");
  expect(content).toContain('import duties were raised');
  expect(content).not.toMatch(/Chart|export|comment|two lines/);
  expect(read(mdx).content).toContain('import { Chart }');
});
