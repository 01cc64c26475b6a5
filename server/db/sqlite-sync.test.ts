import { open } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { type Database, openDatabase } from './connect.ts';
import { readSetting, writeSetting } from './setting.ts';
import { inTransaction, unguarded } from './transaction.ts';

const { at } = temporaryFolder();
let database: Database;
beforeEach(async () => {
  database = await openDatabase({ dataDir: at(), databaseUrl: undefined });
});
afterEach(async () => {
  await database.close();
});

/** How often the log was synced to the disk while `act` ran. */
async function syncsDuring(act: () => Promise<unknown>): Promise<number> {
  await using file = await open(at());
  const datasync = vi.spyOn(Object.getPrototypeOf(file), 'datasync');
  datasync.mockClear();
  await act();
  return datasync.mock.calls.length;
}

it('SQLite waits for the disk after what changed something, and only then', async () => {
  const { db } = database;
  const none = db.updateTable('settings').set({ value: 'x' }).where('value', '=', 'of nobody');
  expect(await syncsDuring(() => none.execute())).toBe(0);
  expect(await syncsDuring(() => none.returning('name').execute())).toBe(0);
  expect(await syncsDuring(() => sql`select count(*) from posts`.execute(db))).toBe(0);
  expect(await syncsDuring(() => inTransaction({ db, ...unguarded }, trx => readSetting(trx, 'about')))).toBe(
    0,
  );
  expect(await syncsDuring(() => writeSetting(db, 'about', 'one'))).toBe(1);
  expect(
    await syncsDuring(() => inTransaction({ db, ...unguarded }, trx => writeSetting(trx, 'about', 'two'))),
  ).toBe(1);
  expect(await syncsDuring(() => sql`create table new_one (word text)`.execute(db))).toBe(1);
  expect(await syncsDuring(() => sql`pragma user_version = 7`.execute(db))).toBe(1);
});

it('what changed nothing waits for a change that it has read, which is not on the disk yet', async () => {
  const { db } = database;
  await using file = await open(at());
  const gate = Promise.withResolvers<void>();
  vi.spyOn(Object.getPrototypeOf(file), 'datasync').mockImplementation(() => gate.promise);
  const done: string[] = [];
  const changing = writeSetting(db, 'about', 'one').then(() => done.push('changed'));
  const again = db.updateTable('settings').set({ value: 'one' }).where('value', '=', 'two');
  const changingNothing = again.execute().then(() => done.push('changed nothing'));
  await db.selectFrom('settings').selectAll().execute();
  await new Promise(resolve => setImmediate(resolve));
  expect(done).toEqual([]);
  gate.resolve();
  await Promise.all([changing, changingNothing]);
  expect(done).toHaveLength(2);
});
