import { type Kysely, sql } from 'kysely';
import { expect, it } from 'vitest';
import type { Tables } from '../../server/db/tables.ts';
import { queueWaitingDigest, sweepMails } from '../../server/mail/digest.ts';
import { describeEngines } from '../engines.ts';

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
});
