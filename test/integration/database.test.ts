import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../../server/db/connect.ts';
import { SchemaError } from '../../server/db/migrate.ts';
import { migrations } from '../../server/db/migrations/index.ts';
import { describeEngines } from '../engines.ts';

describeEngines('the database', ({ location, engine }) => {
  it('is made once when two processes start at the same time', async () => {
    const place = await location();
    const opened = await Promise.all([openDatabase(place), openDatabase(place)]);
    for (const { db } of opened) expect(await db.selectFrom('posts').selectAll().execute()).toEqual([]);
    await Promise.all(opened.map(({ close }) => close()));
  });

  it('refuses a schema that is newer than the program', async () => {
    const place = await location();
    const { db, close } = await openDatabase(place);
    await db
      .insertInto('migrations' as never)
      .values({ name: '9999-from-the-future', timestamp: new Date().toISOString() } as never)
      .execute();
    await close();
    await expect(openDatabase(place)).rejects.toThrow(SchemaError);
    await expect(openDatabase(place)).rejects.toThrow('9999-from-the-future');
  });

  it('changes nothing of what it was only to open', async () => {
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

  it('copies a SQLite database before it is migrated, and changes nothing when that fails', async () => {
    const place = await location();
    const first = await openDatabase(place);
    await first.db.insertInto('settings').values({ name: 'about', value: 'Kept' }).execute();
    await first.close();
    migrations['9000-broken'] = {
      up: async db => {
        await db.schema.createTable('half_made').addColumn('id', 'integer').execute();
        throw new Error('on purpose');
      },
    };
    try {
      await expect(openDatabase(place)).rejects.toThrow('on purpose');
      await expect(openDatabase(place)).rejects.toThrow('nothing was changed');
    } finally {
      delete migrations['9000-broken'];
    }
    const again = await openDatabase(place);
    const tables = await again.db.introspection.getTables();
    expect(tables.map(table => table.name)).not.toContain('half_made');
    expect(await again.db.selectFrom('settings').selectAll().execute()).toEqual([
      { name: 'about', value: 'Kept' },
    ]);
    await again.close();
    if (engine === 'sqlite')
      expect((await readdir(join(place.dataDir, 'backups'))).length).toBeGreaterThan(0);
  });

  it('tells caches of committed writes, its own at once and those of another process soon', async () => {
    const place = await location();
    const [ours, theirs] = [await openDatabase(place), await openDatabase(place)];
    const version = () => ours.changes.version(['settings']);
    const before = version();
    expect(version()).toBe(before);

    const transaction = Promise.withResolvers<void>();
    const written = Promise.withResolvers<void>();
    const done = ours.db.transaction().execute(async trx => {
      await trx.insertInto('settings').values({ name: 'about', value: 'x' }).execute();
      written.resolve();
      await transaction.promise;
    });
    await written.promise;
    expect(version()).toBe(before);
    transaction.resolve();
    await done;
    const after = version();
    expect(after).not.toBe(before);
    expect(ours.changes.version(['likes'])).not.toBe(undefined);

    await theirs.db.updateTable('settings').set({ value: 'y' }).where('name', '=', 'about').execute();
    await expect.poll(version).not.toBe(after);
    await Promise.all([ours.close(), theirs.close()]);
  });

  it('makes wrong states impossible', async () => {
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
