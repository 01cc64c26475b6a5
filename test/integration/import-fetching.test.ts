import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { fetchingMedia } from '../../server/moving/import/media/fetch.ts';
import { runImport } from '../../server/moving/import/run.ts';
import { post } from '../support/drafts.ts';
import { describeEngines } from '../support/engines.ts';
import { listen } from '../support/listen.ts';
import { png } from '../support/png.ts';
import { newFolder } from '../support/temporary-folder.ts';

afterEach(() => vi.unstubAllEnvs());

describeEngines(({ site }) => {
  it('pictures that an import fetches lie on the disk only until their post is done', async () => {
    const s = await site();
    const folder = await newFolder();
    vi.stubEnv('TMPDIR', folder);
    const server = createServer((_, answer) => answer.end(png));
    const host = `127.0.0.1:${await listen(server)}`;
    const items = async function* () {
      for (let n = 0; n < 12; n += 1) yield post({ id: String(n), content: `![](http://${host}/${n}.png)` });
    };
    const source = fetchingMedia(
      { name: 'x', total: 12, leftBehind: [], items },
      { hosts: [host], maxBytes: 1024 * 1024, isAllowed: () => true },
    );
    const found: number[] = [];
    for await (const item of runImport(s.deps, source, { authorId: null, isDryRun: false })) {
      expect(item).toMatchObject({ outcome: 'created', files: 1, notes: [] });
      const [downloads = ''] = await readdir(folder);
      found.push((await readdir(join(folder, downloads))).length);
    }
    // The one that is being saved, and those that are read meanwhile.
    expect(found).toHaveLength(12);
    expect(Math.max(...found)).toBeLessThanOrEqual(5);
    expect(await readdir(folder)).toEqual([]);
    server.close();
  });
});
