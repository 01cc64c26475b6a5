import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { examine } from '../../server/cli/examine.ts';
import { sweepFiles } from '../../server/files/jobs.ts';
import { holdDeletions } from '../../server/files/store/deletion-hold.ts';
import type { FileStore } from '../../server/files/store/store.ts';
import { exportSite } from '../../server/moving/archive/export.ts';
import { restoreSite } from '../../server/moving/archive/restore.ts';
import { archiveFile } from '../../server/moving/archive/source.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { openSite, type Person, renewSessions, type Site } from '../support/site.ts';
import { storeFile } from '../support/storage.ts';

describeEngines(({ site, siteWithAdmin, location }) => {
  const store = (s: Site, admin: Person, words: string) =>
    storeFile(s.deps, { name: 'a.txt', bytes: Buffer.from(words), uploaderId: admin?.id ?? '' });

  it('an export keeps the bytes of deleted files while it may still read them', async () => {
    const [s, admin] = await siteWithAdmin();
    const { url } = await store(s, admin, 'A few words.');
    const [postId = ''] = await publish(s, admin, essay({ content: `With a [file](${url}).` }));
    const keys = async () => {
      const found: string[] = [];
      for await (const { key } of s.deps.files.list()) found.push(key);
      return found;
    };
    // Bytes count as old by the clock of the disk.
    s.wait(Date.now() - s.deps.clock() + 25 * 60 * 60_000);
    await renewSessions(s);
    await holdDeletions(s.deps, async () => {
      await s.call(admin, 'deletePost', { postId });
      await sweepFiles(s.deps);
      expect(await keys()).toHaveLength(1);
    });
    s.wait(6 * 60_000);
    await sweepFiles(s.deps);
    expect(await keys()).toEqual([]);
  });

  it('a file that breaks off while it is written fails the export alone, and leaves nothing', async () => {
    const s = await site();
    // Too large for memory: it is hashed, and read again while it is written.
    await store(s, await s.admin(), 'words '.repeat(500_000));
    let reads = 0;
    const read: FileStore['read'] = async function* (...asked) {
      reads += 1;
      for await (const chunk of s.deps.files.read(...asked)) {
        yield chunk;
        if (reads === 2) throw new Error('The store broke off.');
      }
    };
    const folder = join(s.config.dataDir, 'backups');
    const exporting = exportSite({ ...s.deps, files: { ...s.deps.files, read } }, join(folder, 'a.tar'));
    await expect(exporting).rejects.toThrow('The store broke off.');
    expect(await readdir(folder)).toEqual([]);
  });

  it('an archive names files whose bytes are missing, and saves the rest', async () => {
    const [s, admin] = await siteWithAdmin();
    const { url } = await store(s, admin, 'A few words.');
    await publish(s, admin, essay({ content: `With a [file](${url}).` }));
    const { id } = await store(s, admin, 'Lost.');
    await s.deps.files.remove(id);
    const { path, manifest } = await exportSite(s.deps);
    expect(manifest.missing).toEqual([id]);
    const place = await location();
    await restoreSite({ ...s.config, ...place }, await archiveFile(path));
    const restored = await openSite(place);
    try {
      expect(await examine(restored.deps)).toEqual([
        { rule: 'Every file exists and is intact.', broken: [id] },
      ]);
    } finally {
      await restored.close();
    }
  });
});
