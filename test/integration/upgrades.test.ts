import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { expect, it } from 'vitest';
import { openDatabase } from '../../server/db/connect.ts';
import { dialectOf } from '../../server/db/dialect.ts';
import { appliedMigrations, SchemaError } from '../../server/db/migrate.ts';
import { migrations } from '../../server/db/migrations/index.ts';
import { outages } from '../../server/db/outage.ts';
import { guardSchema } from '../../server/db/schema-guard.ts';
import { writeSetting } from '../../server/db/setting.ts';
import type { Tables } from '../../server/db/tables.ts';
import { startProcess } from '../processes/start-server.ts';
import { describeEngines } from '../support/engines.ts';
import { countedPosts, withLaterMigration } from '../support/later-migration.ts';

describeEngines(({ location, engine }) => {
  it('a running program refuses all requests with the reason once the database has a schema that it must not write', async () => {
    const place = await location();
    const older = await openDatabase(place);
    const sentences: string[] = [];
    const ended = Promise.withResolvers<void>();
    const stop = guardSchema(older, sentence => {
      sentences.push(sentence);
      ended.resolve();
    });
    const poll = async () => await older.changes.caughtUp();
    const upgrade = async (name: string, endsOlder: boolean) => {
      migrations[name] = { up: async () => {}, endsOlder };
      const newer = await openDatabase(place);
      await newer.close();
    };
    try {
      await upgrade('9998-harmless', false);
      delete migrations['9998-harmless'];
      await poll();
      expect(sentences).toEqual([]);
      migrations['9998-harmless'] = { up: async () => {} };
      await upgrade('9999-newer', true);
      delete migrations['9999-newer'];
      await expect(poll()).rejects.toMatchObject({ code: 'unavailable', message: outages.outdated });
      await expect(poll()).rejects.toMatchObject({ code: 'unavailable' });
      await ended.promise;
      expect(sentences).toEqual([expect.stringContaining('newer schema (9999-newer)')]);
    } finally {
      delete migrations['9998-harmless'];
      delete migrations['9999-newer'];
      stop();
      await older.close();
    }
  });

  it('a process of an older version stops once a newer one has upgraded the database to a schema that it must not write', async () => {
    const place = await location();
    const { child, port, ended, errors } = await startProcess({
      DATA_DIR: place.dataDir,
      ...(place.databaseUrl && { DATABASE_URL: place.databaseUrl }),
    });
    // The newer version has a column that older programs leave empty.
    migrations['9999-moods'] = {
      up: async db => {
        await sql`alter table posts add column mood text`.execute(db);
      },
      endsOlder: true,
    };
    try {
      const newer = await openDatabase(place);
      await newer.close();
      // It checks every few seconds, and sooner when it gets a request.
      await fetch(`http://127.0.0.1:${port}/readyz`);
      expect(await ended).toEqual([1, null]);
      expect(errors()).toContain(
        'newer schema (9999-moods), which this version of Coterie must not write to',
      );
      delete migrations['9999-moods'];
      await expect(openDatabase(place)).rejects.toThrow('newer schema than this version');
    } finally {
      delete migrations['9999-moods'];
      child.kill('SIGKILL');
      await ended;
    }
  });

  it('a migration reaches every row that an older version has written', async () => {
    const place = await location();
    const older = await openDatabase(place);
    const { id: tag_set_id } = await older.db
      .insertInto('tag_sets')
      .values({ key: '' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const post = {
      type: 'short' as const,
      tag_set_id,
      created_at: 1,
      content: '',
      html: '',
      text: 'two words',
    };
    const ids = Array.from({ length: 450 }, (_, index) => `p${index}`);
    await older.db
      .insertInto('posts')
      .values(ids.map(id => ({ ...post, id })))
      .execute();
    await older.close();
    await withLaterMigration(async () => {
      const { db, close } = await openDatabase(place);
      expect(await countedPosts(db)).toEqual({ posts: 450, counted: 450 });
      await close();
    });
  });

  it('67. an upgrade of the database refuses a schema that is newer than the program', async () => {
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

  it('67. an upgrade of the database copies a SQLite database before it is migrated, and changes nothing when that fails', async () => {
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
    const settings = again.db.selectFrom('settings').selectAll().where('name', '<>', 'least-writer');
    expect(await settings.execute()).toEqual([{ name: 'about', value: 'Kept' }]);
    await again.close();
    if (engine === 'sqlite')
      expect((await readdir(join(place.dataDir, 'backups'))).length).toBeGreaterThan(0);
  });

  if (engine === 'postgres') {
    it('an upgrade whose connection is lost says that it may have been applied, and the next start completes it', async () => {
      const place = await location();
      const { db, close } = await openDatabase(place);
      migrations['9999-lost'] = {
        up: async newer => {
          await sql`create table half (id text)`.execute(newer);
          await sql`select pg_terminate_backend(pg_backend_pid())`.execute(newer);
        },
      };
      try {
        await expect(openDatabase(place)).rejects.toThrow(
          /^The connection to the database was lost .* completes it where it was not applied\.$/,
        );
        expect(await dialectOf(db).hasTable(db, 'half')).toBe(false);
        migrations['9999-lost'] = {
          up: async newer => {
            await sql`create table half (id text)`.execute(newer);
          },
        };
        const newer = await openDatabase(place);
        await newer.close();
        expect(await appliedMigrations(db)).toContain('9999-lost');
      } finally {
        delete migrations['9999-lost'];
        await close();
      }
    });

    it('an older program hears that it must not write although its first question was not answered', async () => {
      const place = await location();
      const older = await openDatabase(place);
      const newer = await openDatabase(place);
      const ended = Promise.withResolvers<string>();
      const stop = guardSchema(older, ended.resolve);
      try {
        await newer.db.transaction().execute(async trx => {
          await sql`lock table settings in access exclusive mode`.execute(trx);
          // Behind the lock: a notice of it could otherwise be answered before.
          await writeSetting(trx, 'least-writer', '9999-newer');
          // The first poll cannot tell what has changed, so it is asked for in the table.
          await older.changes.caughtUp();
          for (let ended = 0; ended === 0; ) {
            const { rows } = await sql`select pg_terminate_backend(pid) from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock'`.execute(trx);
            ended = rows.length;
          }
        });
        expect(await ended.promise).toContain('newer schema (9999-newer)');
      } finally {
        stop();
        await older.close();
        await newer.close();
      }
    });

    it('an upgrade lets others write while it waits for a long transaction, and says so', async () => {
      const place = await location();
      const { db, close } = await openDatabase(place);
      const setting = async (trx: Kysely<Tables>, name: 'about' | 'about-html') =>
        await trx.insertInto('settings').values({ name, value: '' }).execute();
      const [hasWritten, mayEnd, waits] = [0, 1, 2].map(() => Promise.withResolvers<void>());
      const long = db.transaction().execute(async trx => {
        await setting(trx, 'about');
        hasWritten?.resolve();
        await mayEnd?.promise;
      });
      await hasWritten?.promise;
      migrations['9999-locks'] = {
        up: async newer => {
          await sql`create trigger nothing before update on settings
            for each row execute function suppress_redundant_updates_trigger()`.execute(newer);
        },
      };
      try {
        const sentences: string[] = [];
        const upgrade = openDatabase(place, 'upgrade', sentence => {
          sentences.push(sentence);
          waits?.resolve();
        });
        await waits?.promise;
        await setting(db, 'about-html');
        mayEnd?.resolve();
        await long;
        const newer = await upgrade;
        await newer.close();
        expect(sentences).toEqual([expect.stringContaining('waits for a long transaction')]);
        expect(await appliedMigrations(db)).toContain('9999-locks');
      } finally {
        mayEnd?.resolve();
        delete migrations['9999-locks'];
        await close();
      }
    });
  }
});
