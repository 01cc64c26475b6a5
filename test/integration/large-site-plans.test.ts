import { type Kysely, sql } from 'kysely';
import { expect, it } from 'vitest';
import { viewerOfUser } from '../../server/access/viewer.ts';
import type { Tables } from '../../server/db/tables.ts';
import { isCarriedByNone } from '../../server/files/remove.ts';
import { queueWaitingDigest, sweepMails } from '../../server/mail/digest.ts';
import { listManagedPosts } from '../../server/posts/manage.ts';
import { describeEngines } from '../engines.ts';
import { essay } from '../factories.ts';

const rows = 20_000;
const day = 24 * 60 * 60_000;

/** The tables that something read from one end to the other, over one connection. */
async function tablesReadWhole(line: Kysely<Tables>, act: () => Promise<unknown>): Promise<string[]> {
  const scans = async () => {
    await sql`select pg_stat_force_next_flush()`.execute(line);
    const { rows: tables } = await sql<{ name: string; scans: number }>`
      select relname as name, seq_scan as scans from pg_stat_user_tables`.execute(line);
    return new Map(tables.map(table => [table.name, table.scans]));
  };
  const before = await scans();
  await act();
  const after = await scans();
  return [...after].filter(([name, count]) => count !== before.get(name)).map(([name]) => name);
}

/** How many blocks of long texts of posts something read, over one connection. */
async function textsRead(line: Kysely<Tables>, act: () => Promise<unknown>): Promise<number> {
  const blocks = async () => {
    await sql`select pg_stat_force_next_flush()`.execute(line);
    const { rows: found } = await sql<{ blocks: number }>`select toast_blks_hit + toast_blks_read as blocks
      from pg_statio_user_tables where relname = 'posts'`.execute(line);
    return found[0]?.blocks ?? 0;
  };
  const before = await blocks();
  await act();
  return (await blocks()) - before;
}

/** Mails about posts, sent one day after another, the newest today. */
async function addSentMails(db: Kysely<Tables>, now: number): Promise<void> {
  await sql`insert into mails (id, once, kind, data, state, due_at, created_at, done_at)
    select 'm' || i, 'post:' || i, 'post', '{}', 'sent', 0, 0, ${now}::bigint - i::bigint * ${day / 200}
    from generate_series(1, ${sql.lit(rows)}) i`.execute(db);
}

describeEngines('on a large site', ({ site, engine }) => {
  const isPostgres = engine === 'postgres';

  it.runIf(isPostgres)('neither the sweep of mails nor the digest of who waits reads all mails', async () => {
    const s = await site();
    await s.admin();
    await s.signUp('lucy');
    await addSentMails(s.deps.db, s.deps.clock());
    await sql`analyze`.execute(s.deps.db);
    await s.deps.db.connection().execute(async line => {
      const deps = { ...s.deps, db: line };
      expect(await tablesReadWhole(line, () => sweepMails(deps))).not.toContain('mails');
      expect(await tablesReadWhole(line, () => queueWaitingDigest(deps))).not.toContain('mails');
    });
    const { count } = await s.deps.db
      .selectFrom('mails')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('kind', '=', 'post')
      .executeTakeFirstOrThrow();
    // Those of thirty days.
    expect(count).toBe(30 * 200);
  });

  it.runIf(isPostgres)(
    'a page deep in the list of posts reads the texts of its own posts alone',
    async () => {
      const s = await site();
      const { db } = s.deps;
      const admin = await s.admin();
      const { post } = await s.call(admin, 'createPost', essay({}));
      // Longer than what PostgreSQL keeps within a row.
      await sql`insert into posts (id, type, tag_set_id, created_at, content, html, text)
      select 'made' || i, 'short', (select tag_set_id from posts where id = ${post.id}), i, '', '',
        (select string_agg(md5(i || ' ' || k), '') from generate_series(1, 200) k)
      from generate_series(1, 2000) i`.execute(db);
      await sql`analyze`.execute(db);
      const viewer = await viewerOfUser(db, admin?.id ?? '', new Set());
      await db.connection().execute(async line => {
        const list = (page: number) =>
          listManagedPosts({ ...s.deps, db: line }, viewer, { filter: 'all', page, search: '' });
        await list(1);
        const first = await textsRead(line, () => list(2));
        const deep = await textsRead(line, () => list(150));
        expect(first).toBeGreaterThan(0);
        expect(deep).toBeLessThan(2 * first);
      });
    },
  );

  it.runIf(isPostgres)('a search for what only old posts hold does not look at each newer post', async () => {
    const s = await site();
    const { db } = s.deps;
    const admin = await s.admin();
    const { post } = await s.call(admin, 'createPost', essay({}));
    await sql`insert into posts (id, type, tag_set_id, created_at, content, html, text)
      select 'made' || i, 'short', (select tag_set_id from posts where id = ${post.id}), i, '', '', 'x'
      from generate_series(1, ${sql.lit(rows)}) i`.execute(db);
    await sql`insert into post_search (post_id, words)
      select 'made' || i, array_to_tsvector(array[case when i <= 6000 then 'comet' else 'river' end, 'w' || i])
      from generate_series(1, ${sql.lit(rows)}) i`.execute(db);
    await sql`analyze`.execute(db);
    const viewer = await viewerOfUser(db, admin?.id ?? '', new Set());
    await db.connection().execute(async line => {
      const lookups = async () => {
        await sql`select pg_stat_force_next_flush()`.execute(line);
        const { rows: found } = await sql<{ count: number }>`select idx_scan as count
          from pg_stat_user_indexes where indexrelname = 'post_search_pkey'`.execute(line);
        return found[0]?.count ?? 0;
      };
      const before = await lookups();
      const { posts } = await listManagedPosts({ ...s.deps, db: line }, viewer, {
        filter: 'all',
        page: 2,
        search: 'comet',
      });
      expect(posts.map(found => found.id)).toEqual(
        Array.from({ length: 10 }, (_, index) => `made${5_990 - index}`),
      );
      expect((await lookups()) - before).toBeLessThan(3_000);
    });
  });

  it.runIf(isPostgres)(
    'files that no post carries are found in one reading of what posts carry',
    async () => {
      const { db } = (await site()).deps;
      const plan = await db.selectFrom('files').select('id').where(isCarriedByNone).explain();
      expect(JSON.stringify(plan)).toContain('Anti Join');
      expect(JSON.stringify(plan)).not.toContain('SubPlan');
    },
  );
});
