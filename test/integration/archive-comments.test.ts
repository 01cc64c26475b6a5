import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openBare } from '../../server/db/connect.ts';
import { exportSite } from '../../server/moving/archive/export.ts';
import { restoreSite } from '../../server/moving/archive/restore.ts';
import { archiveFile } from '../../server/moving/archive/source.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import type { Site } from '../support/site.ts';

/** More comments than one statement of a restore has. */
const count = 120;

describeEngines(({ site, location, engine }) => {
  /** Adds comments with ids that begin with `start`, each the answer to the one that begins with `parent`. */
  const comment = async (s: Site, postId: string, start: string, parent: string | null) => {
    const rows = Array.from({ length: count }, (_, index) => ({
      id: start + index,
      post_id: postId,
      user_id: null,
      content: 'words',
      created_at: s.deps.clock(),
      key: null,
      parent_id: parent === null ? null : parent + index,
    }));
    await s.deps.db.insertInto('comments').values(rows).execute();
  };

  it('the comments of an archive are restored where answers come before what they answer', async () => {
    const s = await site();
    const [postId = ''] = await publish(s, await s.admin(), essay());
    await comment(s, postId, 'z', null);
    await comment(s, postId, 'a', 'z');
    const { path } = await exportSite(s.deps, join(s.config.dataDir, 'saved.tar'));
    const place = await location();
    await restoreSite({ ...s.config, ...place }, await archiveFile(path));
    await using db = openBare({ ...s.config, ...place });
    const threads = (of: Site['deps']['db']) =>
      of.selectFrom('comments').select(['id', 'parent_id']).orderBy('id').execute();
    expect(await threads(db)).toEqual(await threads(s.deps.db));
    expect(await threads(db)).toHaveLength(2 * count);
  });

  it('the comments of an archive are refused where one answers what is not in it, and the place stays empty', async () => {
    const s = await site();
    const [postId = ''] = await publish(s, await s.admin(), essay());
    const allow =
      engine === 'sqlite'
        ? sql`pragma foreign_keys = off`
        : sql`alter table comments drop constraint comments_parent_id_fkey`;
    await allow.execute(s.deps.db);
    await comment(s, postId, 'a', 'nobody');
    const { path } = await exportSite(s.deps, join(s.config.dataDir, 'saved.tar'));
    const place = await location();
    const restored = restoreSite({ ...s.config, ...place }, await archiveFile(path));
    await expect(restored).rejects.toThrow(/^The rows of the archive do not go together: .*comments/);
    expect(await readdir(place.dataDir)).toEqual([]);
  });
});
