import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import type { DraftPost } from '../draft.ts';
import { markdownSource } from './source.ts';

const { at, write } = temporaryFolder();

/** Whether each text of a folder is a draft. */
async function drafts(files: Record<string, string>): Promise<Record<string, boolean>> {
  await write(files);
  const source = await markdownSource(at(), 'UTC');
  const found: DraftPost[] = [];
  for await (const item of source.items()) if (item.kind === 'post') found.push(item);
  return Object.fromEntries(found.map(({ id, isDraft }) => [id, isDraft]));
}

it('what Hugo sets for a folder holds its texts back, but for those that say otherwise', async () => {
  expect(
    await drafts({
      'content/family/_index.md': '---\ncascade:\n  draft: true\n---\nFamily',
      'content/family/a.md': 'One.',
      'content/family/deep/b.md': 'Two.',
      'content/family/open.md': '---\ndraft: false\n---\nThree.',
      'content/lists/_index.md':
        '+++\n[[cascade]]\n[cascade.build]\nlist = "never"\n[cascade.target]\npath = "/lists/**"\n+++\nLists',
      'content/lists/c.md': 'Four.',
      'content/broken/_index.md': '---\ncascade: [\n---\nBroken',
      'content/broken/d.md': 'Five.',
      'content/familyless.md': 'Six.',
    }),
  ).toEqual({
    'content/family/_index.md': true,
    'content/family/a.md': true,
    'content/family/deep/b.md': true,
    'content/family/open.md': false,
    'content/lists/_index.md': true,
    'content/lists/c.md': true,
    'content/broken/d.md': true,
    'content/familyless.md': false,
  });
});

it.each([
  ['the configuration of Hugo', 'hugo.toml', '[cascade]\nprivate = true'],
  [
    'the configuration of Hugo in its folder',
    'config/_default/hugo.yaml',
    'cascade:\n  - build: {render: never}',
  ],
  [
    'the defaults of Jekyll',
    '_config.yml',
    'defaults:\n  - scope: {path: secret}\n    values: {published: false}',
  ],
  ['the data of a folder of Eleventy', 'secret/secret.json', '{"draft": true}'],
])('%s hold back the texts of a folder', async (_, name, text) => {
  expect(await drafts({ 'secret/a.md': 'One.', [name]: text })).toEqual({ 'secret/a.md': true });
});
