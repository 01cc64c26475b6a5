import { expect, it, onTestFinished, vi } from 'vitest';
import { contentMaxCharacters } from '../../../../contract/constants.ts';
import { TextWorker } from '../../../markdown/text-worker.ts';
import { contentOf, withSharedBlocks } from './content.ts';
import { readSite } from './site.ts';

it('a post of WordPress that is too long is refused before it is copied for the worker', async () => {
  const site = await readSite([]);
  const run = vi.spyOn(TextWorker.prototype, 'run');
  onTestFinished(() => run.mockRestore());
  const written = 'word '.repeat(1.2 * contentMaxCharacters + 1);
  await expect(contentOf(written, { site, postId: '1', meta: new Map() })).rejects.toThrow(
    'too long for a post',
  );
  expect(run).not.toHaveBeenCalled();
});

it('a block that WordPress fills is named, also beside another with values in its line', async () => {
  const written =
    '<!-- wp:paragraph {"a":1} --><p>Word</p><!-- /wp:paragraph --><!-- wp:latest-posts {"b":2} /-->';
  const { notes } = await contentOf(written, { site: await readSite([]), postId: '1', meta: new Map() });
  expect(notes).toEqual(['left out, because WordPress fills them when they are read: latest-posts']);
});

it.each([
  ...['<pre>', '<style>', '<code "', '<sup data-fn=', '<span class="', '<p ', ' ', '\n', '[code '],
  ...['<!-- wp:a {', '<!-- wp:block {"ref":1'],
])('a post of WordPress is searched in time linear in its length, whatever never ends: %j', async unit => {
  const run = vi.spyOn(TextWorker.prototype, 'run').mockResolvedValue('');
  onTestFinished(() => run.mockRestore());
  const site = await readSite([]);
  const written = withSharedBlocks(`a${unit.repeat(2_000_000 / unit.length)}a`, site);
  expect(await contentOf(written, { site, postId: '1', meta: new Map() })).toMatchObject({ content: '' });
});
