import { expect, it, onTestFinished, vi } from 'vitest';
import { contentMaxCharacters } from '../../../../contract/constants.ts';
import { TextWorker } from '../../../markdown/text-worker.ts';
import { contentOf } from './content.ts';
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
