import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openDatabase } from '../../server/db/connect.ts';
import { migrations } from '../../server/db/migrations/index.ts';
import { inTransaction, unguarded } from '../../server/db/transaction.ts';
import { describeEngines } from '../support/engines.ts';

describeEngines(({ location, engine }) => {
  it('the database is created once when two processes start at the same time', async () => {
    const place = await location();
    const opened = await Promise.all([openDatabase(place), openDatabase(place)]);
    for (const { db } of opened) expect(await db.selectFrom('posts').selectAll().execute()).toEqual([]);
    await Promise.all(opened.map(({ close }) => close()));
  });

  it('opening changes nothing when it may only open an existing database', async () => {
    const place = await location();
    await expect(openDatabase(place, 'nothing')).rejects.toThrow('There is no site in');
    expect(await readdir(place.dataDir)).toEqual([]);
    const made = await openDatabase(place, 'make');
    await made.close();
    migrations['9000-later'] = { up: async () => {} };
    try {
      for (const opening of ['nothing', 'make'] as const) {
        await expect(openDatabase(place, opening)).rejects.toThrow('older schema');
      }
    } finally {
      delete migrations['9000-later'];
    }
    const { db, close } = await openDatabase(place, 'nothing');
    expect(
      await db
        .selectFrom('migrations' as never)
        .selectAll()
        .execute(),
    ).toHaveLength(Object.keys(migrations).length);
    await close();
    if (engine === 'sqlite') expect(await readdir(place.dataDir)).toEqual(['coterie.db']);
  });

  if (engine === 'sqlite') {
    it('hand-written queries are answered while a write waits for another process', async () => {
      const place = await location();
      const { db, close } = await openDatabase(place);
      const other = new DatabaseSync(join(place.dataDir, 'coterie.db'));
      other.exec('begin immediate');
      const writing = db.insertInto('settings').values({ name: 'about', value: 'x' }).execute();
      const { rows } = await sql`select 1 as one`.execute(db);
      other.exec('rollback');
      other.close();
      await writing;
      expect(rows).toEqual([{ one: 1 }]);
      await close();
    });
  }

  if (engine === 'postgres') {
    it('a transaction that was rolled back because of a deadlock runs again', async () => {
      const { db, close } = await openDatabase(await location());
      const names = ['about', 'about-html'] as const;
      await db
        .insertInto('settings')
        .values(names.map(name => ({ name, value: '' })))
        .execute();
      const hasOne = names.map(() => Promise.withResolvers<void>());
      const write = async (order: readonly (typeof names)[number][], own: number) =>
        await inTransaction({ db, ...unguarded }, async trx => {
          for (const name of order) {
            await trx
              .updateTable('settings')
              .set(eb => ({ value: eb('value', '||', `${own}`) }))
              .where('name', '=', name)
              .execute();
            hasOne[own]?.resolve();
            await hasOne[1 - own]?.promise;
          }
        });
      await Promise.all([write(names, 0), write(names.toReversed(), 1)]);
      const rows = await db.selectFrom('settings').select('value').where('name', 'in', names).execute();
      expect(rows.map(row => [...row.value].sort().join(''))).toEqual(['01', '01']);
      await close();
    });
  }

  it('the schema refuses wrong states', async () => {
    const { db, close } = await openDatabase(await location());
    const date = new Date().toISOString();
    const user = {
      id: 'u',
      name: 'U',
      email: 'u@example.com',
      email_verified: false,
      image: null,
      created_at: date,
      updated_at: date,
      username: 'u',
      display_username: 'U',
      approved_at: null,
      denied_at: null,
    };
    const insert = (change: object) =>
      db
        .insertInto('users')
        .values({ ...user, ...change })
        .execute();
    await expect(insert({ is_admin: true })).rejects.toThrow();
    await expect(insert({ status: 'approved' })).rejects.toThrow();
    await expect(insert({ status: 'nonsense' as 'pending' })).rejects.toThrow();
    await expect(insert({ username: 'Upper' })).rejects.toThrow();
    await insert({});
    await expect(insert({ id: 'v', username: 'v', email: 'U@EXAMPLE.COM' })).rejects.toThrow();

    const post = {
      type: 'essay',
      title: 'T',
      description: 'D',
      author_id: null,
      published_at: null,
      created_at: 1,
      updated_at: null,
      content: '',
      html: '',
      text: '',
    } as const;
    const { id: tag_set_id } = await db
      .insertInto('tag_sets')
      .values({ key: '' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const insertPost = (change: object) =>
      db
        .insertInto('posts')
        .values({ ...post, id: 'p', tag_set_id, ...change })
        .execute();
    await expect(insertPost({ title: null })).rejects.toThrow();
    await expect(insertPost({ type: 'short' })).rejects.toThrow();
    await expect(insertPost({ tag_set_id: 999 })).rejects.toThrow();
    await insertPost({});
    await expect(db.updateTable('posts').set({ like_count: -1 }).execute()).rejects.toThrow();
    const like = () => db.insertInto('likes').values({ post_id: 'p', user_id: 'u', created_at: 1 }).execute();
    await like();
    await expect(like()).rejects.toThrow();
    await db.deleteFrom('posts').execute();
    expect(await db.selectFrom('likes').selectAll().execute()).toEqual([]);
    await close();
  });
});
