import { CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely';
import { expect, it } from 'vitest';
import type { CommentList } from '../../contract/comments.ts';
import { reportsPerPage } from '../../contract/constants.ts';
import { viewerOfUser } from '../../server/access/viewer.ts';
import { listReportedComments, selectPageOf } from '../../server/comments/report.ts';
import { dialectOf } from '../../server/db/dialect.ts';
import type { Tables } from '../../server/db/tables.ts';
import { inTransaction, unguarded } from '../../server/db/transaction.ts';
import { isCarriedByNone } from '../../server/files/remove.ts';
import { queueAdminDigests } from '../../server/mail/digest.ts';
import { claim, type Lane, sweepMails } from '../../server/mail/queue.ts';
import { listManagedPosts } from '../../server/posts/manage.ts';
import { indexPosts } from '../../server/search/index-posts.ts';
import { draftsBySet } from '../../server/tags/read.ts';
import { describeEngines } from '../support/engines.ts';
import { essay } from '../support/factories.ts';

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

/** Tells how far a counter of PostgreSQL goes up while something runs over one connection. */
const growthOf =
  (counter: RawBuilder<{ count: number }>) => async (line: Kysely<Tables>, act: () => Promise<unknown>) => {
    const count = async () => {
      await sql`select pg_stat_force_next_flush()`.execute(line);
      return (await counter.execute(line)).rows[0]?.count ?? 0;
    };
    const before = await count();
    await act();
    return (await count()) - before;
  };

/** Blocks of long texts of posts. */
const textsRead = growthOf(sql`select toast_blks_hit + toast_blks_read as count
  from pg_statio_user_tables where relname = 'posts'`);
/** Rows of posts, rather than an index of them. */
const postsRead = growthOf(sql`select heap_blks_hit + heap_blks_read as count
  from pg_statio_user_tables where relname = 'posts'`);
const mailsRead = growthOf(sql`select seq_tup_read + idx_tup_fetch as count
  from pg_stat_user_tables where relname = 'mails'`);
const searchesByTokens = growthOf(sql`select idx_scan as count
  from pg_stat_user_indexes where indexrelname = 'post_search_tokens'`);

const cometPosts = 6_000;

/** Posts of which the oldest hold a word that the newest do not; every seventh is a draft. */
async function addRiversAfterComets(db: Kysely<Tables>, like: string): Promise<void> {
  const numbers = Array.from({ length: cometPosts + 3_000 }, (_, index) => index + 1);
  await sql`insert into posts (id, type, tag_set_id, created_at, published_at, content, html, text)
    select 'made' || i, 'short', (select tag_set_id from posts where id = ${like}), i,
      case when i % 7 = 0 then null else i end, '', '',
      case when i <= ${sql.lit(cometPosts)} then 'comet' else 'river' end
    from (with recursive numbers (i) as (
      select 1 union all select i + 1 from numbers where i < ${sql.lit(numbers.length)}
    ) select i from numbers) as numbers`.execute(db);
  await inTransaction({ db, ...unguarded }, trx =>
    indexPosts(
      trx,
      numbers.map(number => `made${number}`),
    ),
  );
  // After it an index answers without the rows, as it does soon on a site.
  await sql`${sql.raw(dialectOf(db).engine === 'postgres' ? 'vacuum analyze posts' : 'analyze')}`.execute(db);
}

/** Mails about posts, sent one day after another, the newest today. */
async function addSentMails(db: Kysely<Tables>, now: number): Promise<void> {
  await sql`insert into mails (id, once, kind, data, state, due_at, created_at, done_at)
    select 'm' || i, 'post:' || i, 'post', '{}', 'sent', 0, 0, ${now}::bigint - i::bigint * ${day / 200}
    from generate_series(1, ${sql.lit(rows)}) i`.execute(db);
}

describeEngines(({ site, engine }) => {
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
      expect(await tablesReadWhole(line, () => queueAdminDigests(deps))).not.toContain('mails');
    });
    const { count } = await s.deps.db
      .selectFrom('mails')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('kind', '=', 'post')
      .executeTakeFirstOrThrow();
    // Those of thirty days.
    expect(count).toBe(30 * 200);
  });

  it.runIf(isPostgres)('a notification is found without reading the mails that wait', async () => {
    const s = await site();
    const { db, clock } = s.deps;
    await addSentMails(db, clock());
    await db.updateTable('mails').set({ state: 'queued' }).execute();
    await sql`analyze mails`.execute(db);
    await db.connection().execute(async line => {
      const take = (lane: Lane) => claim({ db: line, clock }, { lease: 'a', lane, most: 20 });
      for (const lane of ['push', 'webhook'] as const)
        expect(await mailsRead(line, () => take(lane))).toBe(0);
      expect(await take('mail')).toHaveLength(20);
    });
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

  it('a search reads the index alone, whether its word is in many posts, in old ones or in none', async () => {
    const s = await site();
    const { db } = s.deps;
    const admin = await s.admin();
    const { post } = await s.call(admin, 'createPost', essay({}));
    await addRiversAfterComets(db, post.id);
    if (isPostgres) await sql`vacuum (analyze)`.execute(db);
    const viewer = await viewerOfUser(db, admin?.id ?? '', new Set());
    const filters = {
      all: () => true,
      published: (number: number) => number % 7 !== 0,
      drafts: (number: number) => number % 7 === 0,
    };
    await db.connection().execute(async line => {
      const list = (filter: keyof typeof filters, page: number, search = 'comet') =>
        listManagedPosts({ ...s.deps, db: line }, viewer, { filter, page, search });
      for (const filter of ['all', 'published', 'drafts'] as const) {
        const comets = Array.from({ length: cometPosts }, (_, index) => cometPosts - index);
        const expected = comets.filter(filters[filter]).map(number => `made${number}`);
        for (const page of [2, 30]) {
          const { posts } = await list(filter, page);
          expect(posts.map(found => found.id)).toEqual(expected.slice((page - 1) * 10, page * 10));
        }
      }
      if (!isPostgres) return;
      for (const word of ['comet', 'river', 'nosuchword']) {
        expect(await tablesReadWhole(line, () => list('all', 1, word))).not.toContain('post_search');
        expect(await searchesByTokens(line, () => list('all', 1, word))).toBeGreaterThan(0);
        expect(await postsRead(line, () => list('all', 30, word))).toBeLessThan(500);
      }
    });
  });

  it('the drafts of the list of tags are counted in an index, without reading any', async () => {
    const s = await site();
    const { db } = s.deps;
    const { post } = await s.call(await s.admin(), 'createPost', essay({}));
    await addRiversAfterComets(db, post.id);
    if (isPostgres) await sql`vacuum (analyze)`.execute(db);
    const explain = isPostgres ? 'explain' : 'explain query plan';
    const { rows: plan } = await db.executeQuery(
      CompiledQuery.raw(`${explain} ${draftsBySet(db).compile().sql}`),
    );
    expect(JSON.stringify(plan)).toMatch(/(Index Only Scan|COVERING INDEX)[^"]* posts_drafts_by_creation/);
  });

  it('what an import has made is found by an index, without reading all that was imported', async () => {
    const { db } = (await site()).deps;
    const imported = db.selectFrom('imported').select('target_id').where('kind', '=', 'tag').compile();
    const { rows: plan } = await inTransaction({ db, ...unguarded }, async trx => {
      // An empty table is read whole as fast.
      if (isPostgres) await sql`set local enable_seqscan = off`.execute(trx);
      const explain = isPostgres ? 'explain' : 'explain query plan';
      return await trx.executeQuery(
        CompiledQuery.raw(`${explain} ${imported.sql}`, [...imported.parameters]),
      );
    });
    expect(JSON.stringify(plan)).toContain('imported_by_target');
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

  it('the newest of all comments are read by an index, and the reported ones by their ids', async () => {
    const s = await site();
    const { db } = s.deps;
    const admin = await s.admin();
    const { post } = await s.call(admin, 'createPost', essay({}));
    await sql`insert into comments (id, post_id, content, created_at)
      select 'made' || i, ${post.id}, 'Comment ' || i, i
      from (with recursive numbers (i) as (
        select 1 union all select i + 1 from numbers where i < ${sql.lit(rows)}
      ) select i from numbers) as numbers`.execute(db);
    await db
      .insertInto('comment_reports')
      .values({ comment_id: 'made5', user_id: admin.id, word: '', created_at: 1 })
      .execute();
    await sql`analyze`.execute(db);
    const viewer = await viewerOfUser(db, admin.id, new Set());
    const list = (of: CommentList, after: string | null = null) =>
      listReportedComments(s.deps, viewer, { list: of, after });
    let after: string | null = null;
    for (const page of [0, 1, 2]) {
      const { comments, total, nextCursor } = await list('all', after);
      const newest = rows - page * reportsPerPage;
      expect(comments.map(({ comment }) => comment.id)).toEqual(
        Array.from({ length: reportsPerPage }, (_, index) => `made${newest - index}`),
      );
      expect(total).toBeNull();
      after = nextCursor;
    }
    const explain = isPostgres ? 'explain' : 'explain query plan';
    const planOf = async (of: CommentList) => {
      const { sql: text, parameters } = selectPageOf(db, of, after).compile();
      const { rows: plan } = await db.executeQuery(CompiledQuery.raw(`${explain} ${text}`, [...parameters]));
      return JSON.stringify(plan);
    };
    expect(await planOf('all')).toContain('comments_by_time');
    expect(await planOf('all')).not.toContain('Seq Scan on comments');
    expect(await planOf('reported')).not.toContain('comments_by_time');
  });
});
