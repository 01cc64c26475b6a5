import { describe, expect, it } from 'vitest';
import { PostInput } from '../../contract/posts.ts';
import { cutAtWord } from '../../contract/text.ts';
import { postInputOf, readImportedText } from './import-text.ts';

const read = (text: string, source = 'a-long-walk.md') => readImportedText(source, text, 'UTC');
const inputOf = (text: string, source?: string) => {
  const file = read(text, source);
  return postInputOf(file, file.content, file.content);
};
const long = 'Words and words. '.repeat(30);

describe('the title', () => {
  it('is the one of the front matter', () => {
    expect(read('---\ntitle: Rivers\n---\n# Lakes\n\nText')).toMatchObject({
      title: 'Rivers',
      content: '# Lakes\n\nText',
    });
  });
  it('is not said twice', () => {
    expect(read('---\ntitle: Rivers\n---\n\n# Rivers\n\nText').content).toBe('Text');
  });
  it('is else the first heading, which leaves the content', () => {
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
  it('is else the words of the file name, or of the folder for an index', () => {
    expect(read(long).title).toBe('A long walk');
    expect(read(long, '2020-05-17-a_walk.md')).toMatchObject({
      title: 'A walk',
      date: Date.UTC(2020, 4, 17, 12),
    });
    expect(read(long, 'trips/to-the-sea/index.mdx').title).toBe('To the sea');
  });
  it('is missing from a short post', () => {
    expect(inputOf('Only a few words.').input).toEqual({
      type: 'short',
      content: 'Only a few words.',
      tags: [],
      isDraft: false,
    });
    expect(inputOf('👩‍👩‍👧‍👦'.repeat(300)).input.type).toBe('short');
    expect(inputOf('a'.repeat(301)).input.type).toBe('essay');
  });
});

describe('what does not fit', () => {
  it('is cut, with a note', () => {
    const { input, notes } = inputOf(
      `---\ntitle: ${'title '.repeat(60)}\ndescription: ${'word '.repeat(200)}\n---\nText`,
    );
    expect(PostInput.parse(input)).toMatchObject({ title: expect.stringMatching(/^title .* title…$/) });
    expect(notes).toEqual([
      'its title was cut to 200 characters',
      'its description was cut to 500 characters',
    ]);
  });
  it('keeps every tag, because one tag less can mean more readers', () => {
    const { input, notes } = inputOf(
      `---\ntags: ["${'x'.repeat(60)}", "\\u200B", Friends, friends]\n---\n${long}`,
    );
    expect(PostInput.parse(input).tags).toEqual(['x'.repeat(50), 'friends']);
    expect(notes).toHaveLength(2);
  });
});

it('describes an essay by its first words', () => {
  const { input } = inputOf(`# Rivers\n\n${long}`);
  expect(input).toMatchObject({
    type: 'essay',
    title: 'Rivers',
    description: expect.stringMatching(/^Words .*…$/),
  });
});

it('takes what lies among drafts for a draft', () => {
  expect(read('Text', 'blog/_drafts/idea.md').isDraft).toBe(true);
});

it('drops what only the compiler of MDX understands', () => {
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
  const { content } = readImportedText('chart.mdx', mdx, 'UTC');
  expect(content).toContain('*Inside*');
  expect(content).toContain("import fs from 'node:fs';");
  expect(content).not.toMatch(/Chart|export|comment|two lines/);
  expect(read(mdx).content).toContain('import { Chart }');
});

describe('cutAtWord', () => {
  it('leaves what is short enough', () => expect(cutAtWord('one two', 7)).toBe('one two'));
  it('ends with a whole word', () => expect(cutAtWord('one two three', 9)).toBe('one two…'));
  it('never leaves half a character', () => expect(cutAtWord('😀'.repeat(10), 6).isWellFormed()).toBe(true));
});
