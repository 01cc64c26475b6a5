import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { viewerOfUser } from '../../server/access/viewer.ts';
import { dialectOf } from '../../server/db/dialect.ts';
import { listManagedPosts } from '../../server/posts/manage.ts';
import { describeEngines } from '../support/engines.ts';
import { essay } from '../support/factories.ts';

describeEngines('a search for a rare word', ({ site, engine }) => {
  it.runIf(engine === 'postgres')('asks the index of words first, and walks no list of posts', async () => {
    const s = await site();
    const { db } = s.deps;
    const admin = await s.admin();
    const { post } = await s.call(admin, 'createPost', essay({ title: 'Zyzzyva' }));
    await sql`insert into posts (id, type, tag_set_id, created_at, published_at, content, html, text)
      select 'made' || i, 'short', (select tag_set_id from posts where id = ${post.id}), i, i, '', '', 'x'
      from generate_series(1, 20000) i`.execute(db);
    await sql`insert into post_search (post_id, words)
      select 'made' || i, array_to_tsvector(array(select 'w' || ((i * 31 + k * k * 17) % 5000) from generate_series(1, 20) k))
      from generate_series(1, 20000) i`.execute(db);
    await sql`analyze`.execute(db);
    const viewer = await viewerOfUser(db, admin?.id ?? '', new Set());
    // Over one connection: what others have read is counted a little later.
    await db.connection().execute(async line => {
      const search = async (word: string) => {
        const { posts } = await listManagedPosts({ ...s.deps, db: line }, viewer, {
          filter: 'all',
          page: 1,
          search: word,
        });
        return posts.map(found => found.id);
      };
      expect(await search('zyzzyva')).toEqual([post.id]);
      expect(await search('nosuchword')).toEqual([]);
      const { rows } = await sql<{ 'QUERY PLAN': string }>`explain select id from posts
        where ${dialectOf(db).matches(sql.ref('posts.id'), ['zyzzyva'])}
        order by created_at desc, id desc limit 11`.execute(line);
      const plan = rows.map(row => row['QUERY PLAN']).join('\n');
      expect(plan).toMatch(/Scan (?:using|on) posts_pkey/);
      expect(plan).not.toContain('Seq Scan');
      // What a function does inside is in no plan: the index tells whether it was asked.
      const scans = async () => {
        await sql`select pg_stat_force_next_flush()`.execute(line);
        const { rows: found } = await sql<{ indexed: number; walked: number }>`select
          (select idx_scan from pg_stat_user_indexes where indexrelname = 'post_search_words')::int as indexed,
          (select seq_scan from pg_stat_user_tables where relname = 'post_search')::int as walked`.execute(
          line,
        );
        return found[0] ?? { indexed: 0, walked: 0 };
      };
      const before = await scans();
      expect(await search('zyzzyva')).toEqual([post.id]);
      expect(await scans()).toEqual({ indexed: before.indexed + 2, walked: before.walked });
    });
  });
});
