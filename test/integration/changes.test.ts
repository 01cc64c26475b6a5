import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Kysely, sql } from 'kysely';
import { expect, it } from 'vitest';
import { pollQuery } from '../../server/db/changes/postgres-record.ts';
import type { Changed, ChangeRecord } from '../../server/db/changes/record.ts';
import { sweepChanges } from '../../server/db/changes/sweep.ts';
import { openDatabase } from '../../server/db/connect.ts';
import type { Tables } from '../../server/db/tables.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';

/** What polls find while `act` runs, and one after it. */
async function changedBy(changes: ChangeRecord, act: () => Promise<unknown>): Promise<Changed> {
  await changes.caughtUp();
  const found = new Set<string>();
  let isAll = false;
  const stop = changes.listen(changed => {
    if (changed === 'all') isAll = true;
    else for (const key of changed) found.add(key);
  });
  await act();
  await changes.caughtUp();
  stop();
  return isAll ? 'all' : new Set([...found].sort() as never[]);
}

/**
 * Resolves once no transaction runs that began before the last write. While one does, in whichever database
 * of the server, its own writes could still come: what has been swept might be among what nobody has seen.
 */
async function untilOthersHaveEnded(db: Kysely<Tables>): Promise<void> {
  for (let isOver = false; !isOver; ) {
    const { rows } = await sql<{ isOver: boolean }>`
      select pg_snapshot_xmin(pg_current_snapshot()) > (select max(xid) from changes) as "isOver"`.execute(
      db,
    );
    isOver = rows[0]?.isOver ?? false;
  }
}

/** What docs/decisions/0015 says: each table, and the kinds of the rows that its triggers write. */
async function writtenTriggers(): Promise<string[]> {
  const page = await readFile('docs/decisions/0015-the-record-of-changes.md', 'utf8');
  const [, section = ''] = page.split(/^## The (?:triggers|caches)$/m);
  const names = (cell: string | undefined) => cell?.match(/(?<=`)\w+(?=`)/g) ?? [];
  const rows = section.split('\n').map(line => line.split('|'));
  const kinds = rows.flatMap(([, tables, kinds]) =>
    names(tables).flatMap(table => names(kinds).map(kind => `${table} ${kind}`)),
  );
  return [...new Set(kinds)].sort();
}

describeEngines(({ site, location, engine }) => {
  it.runIf(engine === 'postgres')(
    'the record of changes is polled by its index, however much an hour has changed',
    async () => {
      const { db } = (await site()).deps;
      await sql`insert into changes (kind, key) select 'likes', 'made' || i from generate_series(1, 40000) i`.execute(
        db,
      );
      const poll = sql.raw(pollQuery.replace('$1', "'9000000'").replace('$2', "'{}'"));
      const planOf = async () => {
        const { rows } = await sql<{ 'QUERY PLAN': string }>`explain ${poll}`.execute(db);
        return rows.map(row => row['QUERY PLAN']).join('\n');
      };
      // Before and after the database has counted the rows.
      expect(await planOf()).not.toContain('Seq Scan');
      await sql`analyze changes`.execute(db);
      expect(await planOf()).not.toContain('Seq Scan');
    },
  );

  it('the record of changes is written by the triggers that docs/decisions/0015 lists', async () => {
    const { db } = (await site()).deps;
    const { rows } = await (engine === 'sqlite'
      ? sql<{ table: string; body: string }>`select tbl_name as "table", sql as body
          from sqlite_master where type = 'trigger'`
      : sql<{ table: string; body: string }>`select tgrelid::regclass::text as "table", prosrc as body
          from pg_trigger join pg_proc on pg_proc.oid = tgfoid where not tgisinternal`
    ).execute(db);
    const kinds = rows.flatMap(({ table, body }) => {
      const [, written = ''] = body.split('insert into changes (kind, key)');
      return [...written.matchAll(/(?:select |values \()'(\w+)'/g)].map(([, kind]) => `${table} ${kind}`);
    });
    expect([...new Set(kinds)].sort()).toEqual(await writtenTriggers());
  });

  it('the record of changes names what each write changes, by its row, and nothing else', async () => {
    const s = await site();
    const { db, changes } = s.deps;
    const admin = await s.admin();
    const reader = await s.member(['red']);
    const sessionOf = async (userId: string) =>
      (await db.selectFrom('sessions').select('id').where('user_id', '=', userId).executeTakeFirstOrThrow())
        .id;
    // A session's first use moves its end.
    for (const person of [admin, reader]) await s.call(person, 'getViewer', {});
    const by = async (act: () => Promise<unknown>) => [...(await changedBy(changes, act))];

    let id = '';
    expect(
      await by(async () => {
        [id = ''] = await publish(s, admin, essay({ title: 'Red', tags: ['red'] }));
      }),
    ).toEqual([`post:${id}`, 'published', 'tags', 'timeline']);
    expect(await by(() => s.call(reader, 'setLike', { postId: id, liked: true }))).toEqual([
      `counts:${id}`,
      `likes:${reader.id}`,
    ]);
    expect(await by(() => s.call(reader, 'setLike', { postId: id, liked: true }))).toEqual([]);
    let commentId = '';
    expect(
      await by(async () => {
        ({
          comment: { id: commentId },
        } = await s.call(reader, 'addComment', { postId: id, content: 'Yes.' }));
      }),
    ).toEqual([`comment:${id}/${commentId}`, `counts:${id}`]);
    const again = { ...essay({ title: 'Redder', tags: ['red'] }), postId: id };
    expect(await by(() => s.call(admin, 'updatePost', again))).toEqual([`post:${id}`]);
    expect(await by(() => s.call(admin, 'updatePost', { ...again, tags: [] }))).toEqual([
      `post:${id}`,
      'published',
      'tags',
      'timeline',
    ]);
    expect(await by(() => s.call(admin, 'saveAbout', { content: 'Hello' }))).toEqual(['settings']);
    expect(await by(() => s.call(admin, 'setDefaultTags', { tags: ['red'] }))).toEqual(['settings', 'tags']);
    expect(await by(() => s.call(admin, 'setApprovedTags', { userId: reader.id, tags: [] }))).toEqual([
      `viewer:${reader.id}`,
      'viewers',
    ]);
    const session = await sessionOf(reader.id);
    expect(await by(() => s.call(reader, 'signOut', {}))).toEqual([`session:${session}`]);
    // What goes with an account by its references is named as well.
    const written = await by(() => db.deleteFrom('users').where('id', '=', admin.id).execute());
    expect(written).toEqual(expect.arrayContaining([`post:${id}`, `viewer:${admin.id}`]));
    expect(await by(() => db.deleteFrom('posts').where('id', '=', id).execute())).toEqual([
      `comment:${id}/${commentId}`,
      `likes:${reader.id}`,
      `post:${id}`,
      'timeline',
    ]);
    expect(await by(() => db.selectFrom('posts').selectAll().execute())).toEqual([]);
  });

  it('the record of changes contains nothing of a transaction that was rolled back', async () => {
    const s = await site();
    const change = () =>
      s.deps.db.transaction().execute(async trx => {
        await trx.insertInto('settings').values({ name: 'about', value: 'x' }).execute();
        throw new Error('on purpose');
      });
    expect(await changedBy(s.deps.changes, () => change().catch(() => {}))).toEqual(new Set());
  });

  it('each change is found by the next poll of every process, only once', async () => {
    const place = await location();
    const [ours, theirs] = [await openDatabase(place), await openDatabase(place)];
    const write = (name: 'about' | 'about-html') =>
      ours.db.insertInto('settings').values({ name, value: 'x' }).execute();
    expect(await changedBy(theirs.changes, () => write('about'))).toEqual(new Set(['settings']));
    expect(await changedBy(theirs.changes, async () => {})).toEqual(new Set());
    expect(await changedBy(ours.changes, () => write('about-html'))).toEqual(new Set(['settings']));
    await Promise.all([ours.close(), theirs.close()]);
  });

  it('the record of changes is kept for an hour, and a process that has not polled for longer drops everything', async () => {
    const place = await location();
    const [ours, theirs] = [await openDatabase(place), await openDatabase(place)];
    const write = (id: string) =>
      ours.db.insertInto('tags').values({ id, name: id, key: id, is_listed: true }).execute();
    const kinds = async () =>
      (await ours.db.selectFrom('changes').select('kind').orderBy('seq').execute()).map(row => row.kind);
    await theirs.changes.caughtUp();
    await write('old');
    await ours.db.updateTable('changes').set({ at: 0 }).execute();
    await write('young');
    if (engine === 'postgres') await untilOthersHaveEnded(ours.db);
    expect(await changedBy(ours.changes, () => sweepChanges(ours))).toEqual(new Set());
    expect(await kinds()).toEqual(['tags', 'swept']);

    // They have not seen the old write before it went.
    const found: Changed[] = [];
    theirs.changes.listen(changed => found.push(changed));
    await theirs.changes.caughtUp();
    expect(found).toEqual(['all']);
    expect(await changedBy(theirs.changes, () => write('new'))).toEqual(new Set(['tags']));
    await Promise.all([ours.close(), theirs.close()]);
  });

  if (engine === 'postgres') {
    it('the record of changes skips nothing that a long transaction commits late, and waits for none', async () => {
      const place = await location();
      const [ours, theirs] = [await openDatabase(place), await openDatabase(place)];
      const isWritten = Promise.withResolvers<void>();
      const mayEnd = Promise.withResolvers<void>();
      const long = theirs.db.transaction().execute(async trx => {
        await trx.insertInto('settings').values({ name: 'about', value: 'x' }).execute();
        isWritten.resolve();
        await mayEnd.promise;
      });
      await isWritten.promise;
      const short = () =>
        theirs.db.insertInto('tags').values({ id: 't', name: 'T', key: 't', is_listed: true });
      expect(await changedBy(ours.changes, () => short().execute())).toEqual(new Set(['tags']));
      const end = async () => {
        mayEnd.resolve();
        await long;
      };
      expect(await changedBy(ours.changes, end)).toEqual(new Set(['settings']));
      expect(await changedBy(ours.changes, async () => {})).toEqual(new Set());
      await Promise.all([ours.close(), theirs.close()]);
    });

    it('the record of changes finds what is committed after polls that found nothing', async () => {
      const place = await location();
      const [ours, theirs] = [await openDatabase(place), await openDatabase(place)];
      const write = (name: 'about' | 'about-html') =>
        theirs.db.insertInto('settings').values({ name, value: 'x' }).execute();
      for (const name of ['about', 'about-html'] as const) {
        // The first of these still reads the record; the others only compare the snapshot.
        for (let poll = 0; poll < 3; poll += 1) await ours.changes.caughtUp();
        expect(await changedBy(ours.changes, () => write(name))).toEqual(new Set(['settings']));
      }
      await Promise.all([ours.close(), theirs.close()]);
    });

    it('the record of changes ignores rows of a restored dump with higher transaction numbers than those of its server', async () => {
      const { db, changes, close } = await openDatabase(await location());
      await sql`insert into changes (xid, kind) values ('123456789', 'settings')`.execute(db);
      expect(await changedBy(changes, async () => {})).toEqual(new Set());
      await close();
    });
  } else {
    it('66. the record of changes reports that everything may have changed as long as the file cannot be read', async () => {
      const place = await location();
      const { changes, close } = await openDatabase(place);
      await changes.caughtUp();
      const path = join(place.dataDir, 'coterie.db');
      const other = new DatabaseSync(path);
      other.exec("insert into settings values ('about', 'x'); pragma wal_checkpoint(truncate)");
      other.close();
      const file = await open(path, 'r+');
      await file.write(Buffer.alloc(100, 'x'), 0, 100, 0);
      await file.close();
      expect(await changedBy(changes, async () => {})).toBe('all');
      expect(await changedBy(changes, async () => {})).toBe('all');
      await close();
    });
  }
});
