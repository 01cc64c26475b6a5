import { mkdir, readdir, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { backUp, restore } from '../../server/archive/backup.ts';
import { examine } from '../../server/cli/examine.ts';
import { storeFile } from '../../server/files/write.ts';
import { describeEngines } from '../engines.ts';
import { essay, publish } from '../factories.ts';
import { openSite, refusal } from '../site.ts';

describeEngines('backup and doctor', ({ site, engine }) => {
  it('67. brings back a site that was saved while it was written to', async () => {
    const s = await site();
    if (engine === 'postgres') {
      s.config.databaseUrl = 'postgres://somewhere';
      await expect(backUp(s.deps)).rejects.toThrow('pg_dump');
      await expect(restore(s.config, 'x')).rejects.toThrow('pg_restore');
      return;
    }
    const admin = await s.admin();
    const members = [await s.member(), await s.member(), await s.member()];
    let isWriting = true;
    let written = 0;
    const write = async () => {
      for (; isWriting && written < 100; written += 1) {
        const [postId = ''] = await publish(s, admin, essay());
        await storeFile(s.deps, {
          name: 'a.txt',
          bytes: Buffer.from(`file ${written}`),
          uploaderId: admin.id,
        });
        for (const member of members) {
          await s.call(member, 'setLike', { postId, liked: true });
        }
      }
    };
    const writing = write();
    while (written < 5) await new Promise(resolve => setImmediate(resolve));
    const archive = await backUp(s.deps, join(s.config.dataDir, 'backups', 'saved.tar.gz'));
    isWriting = false;
    await writing;
    await expect(backUp(s.deps, archive)).rejects.toThrow('exists already');
    await expect(restore(s.config, archive)).rejects.toThrow('not empty');

    const dataDir = join(s.config.dataDir, 'somewhere', 'restored');
    await restore({ ...s.config, dataDir }, archive);
    // Who reads the data folder owns the site.
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
    const restored = await openSite({ dataDir, databaseUrl: undefined });
    try {
      expect(await examine(restored.deps)).toEqual([]);
      const posts = await restored.deps.db.selectFrom('posts').select('id').execute();
      expect(posts.length).toBeGreaterThanOrEqual(5);
      expect(posts.length).toBeLessThanOrEqual(written);
    } finally {
      await restored.close();
    }

    // A volume of its own, which cannot be replaced, with the backups on it.
    const volume = join(s.config.dataDir, 'volume');
    await mkdir(join(volume, 'backups'), { recursive: true });
    const { ino } = await stat(volume);
    await restore({ ...s.config, dataDir: volume }, archive);
    expect((await stat(volume)).ino).toBe(ino);
    expect((await readdir(volume)).sort()).toEqual(['backups', 'coterie.db', 'files']);

    await truncate(archive, 500);
    const broken = { ...s.config, dataDir: join(s.config.dataDir, 'broken') };
    expect(await refusal(restore(broken, archive))).toBe('invalid-argument');
    await writeFile(archive, 'nothing');
    expect(await refusal(restore(broken, archive))).toBe('invalid-argument');
    expect(await readdir(broken.dataDir)).toEqual([]);
  });

  it('finds what is broken', async () => {
    const s = await site();
    const admin = await s.admin();
    const [postId = ''] = await publish(s, admin, essay({ tags: ['one'] }));
    const { id } = await storeFile(s.deps, { name: 'a', bytes: Buffer.from('a'), uploaderId: admin.id });
    expect(await examine(s.deps)).toEqual([]);
    await s.deps.db.updateTable('posts').set({ like_count: 3, comment_count: 2 }).execute();
    await s.deps.db.updateTable('tag_sets').set({ published_count: 7 }).execute();
    await truncate(join(s.config.dataDir, 'files', id), 0);
    const findings = await examine(s.deps);
    expect(findings.map(finding => finding.rule)).toEqual([
      'Like counts match the likes.',
      'Comment counts match the comments.',
      'Post counts of tag combinations match the posts.',
      'Every file exists and is intact.',
    ]);
    expect(findings[0]?.broken).toEqual([postId]);
  });
});
