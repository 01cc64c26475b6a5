import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { examine } from '../../server/cli/examine.ts';
import { storeFile } from '../../server/files/write.ts';
import { describeEngines } from '../engines.ts';
import { essay, publish } from '../factories.ts';

describeEngines('doctor', ({ site }) => {
  it('finds what is broken', async () => {
    const s = await site();
    const admin = await s.admin();
    const [postId = ''] = await publish(s, admin, essay({ tags: ['one'] }));
    const { id } = await storeFile(s.deps, { name: 'a', bytes: Buffer.from('a'), uploaderId: admin.id });
    expect(await examine(s.deps)).toEqual([]);
    await s.deps.db.updateTable('posts').set({ like_count: 3, comment_count: 2 }).execute();
    await s.deps.db.updateTable('tag_sets').set({ published_count: 7 }).execute();
    await sql`delete from post_search`.execute(s.deps.db);
    await truncate(join(s.config.dataDir, 'files', id), 0);
    const findings = await examine(s.deps);
    expect(findings.map(finding => finding.rule)).toEqual([
      'Like counts match the likes.',
      'Comment counts match the comments.',
      'Post counts of tag combinations match the posts.',
      'Every post is in the search index.',
      'Every file exists and is intact.',
    ]);
    expect(findings[3]?.broken).toEqual([postId]);
    expect(findings[0]?.broken).toEqual([postId]);
  });
});
