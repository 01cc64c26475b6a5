import { copyFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { emptyLog } from './sqlite.ts';
import { SqliteLog } from './sqlite-log.ts';

const { at } = temporaryFolder();
let writer: DatabaseSync;
let log: SqliteLog | undefined;
beforeEach(() => {
  writer = open('main.db');
  writer.exec('pragma journal_mode = wal; pragma synchronous = normal; create table words (word text)');
});
afterEach(async () => {
  await log?.close();
  writer.close();
});

const open = (name: string) => new DatabaseSync(at(name), { timeout: 0 });
const logAt = (name: string, quietMs?: number) => {
  log = new SqliteLog(at(name), () => emptyLog(writer), quietMs);
  return log;
};

/** The words in the database file, without the log. */
async function wordsWithoutLog(): Promise<unknown[]> {
  await copyFile(at('main.db'), at('copy.db'));
  const copy = open('copy.db');
  try {
    return copy
      .prepare('select word from words')
      .all()
      .map(row => row.word);
  } catch {
    return [];
  } finally {
    copy.close();
  }
}

it('the log keeps what is committed as long as it can be written', async () => {
  const opened = logAt('main.db-wal');
  writer.exec("insert into words values ('one')");
  await Promise.all([opened.synced(), opened.synced()]);
  await opened.synced();
  expect(await wordsWithoutLog()).toEqual([]);
});

it('what is committed goes into the database file when the log cannot be written', async () => {
  const opened = logAt('.');
  writer.exec("insert into words values ('one')");
  await opened.synced();
  expect(await wordsWithoutLog()).toEqual(['one']);
});

it('a commit is not acknowledged when neither the log nor the database file can be written', async () => {
  const opened = logAt('.');
  const reader = open('main.db');
  reader.exec('begin; select * from words');
  writer.exec("insert into words values ('one')");
  await expect(opened.synced()).rejects.toThrow('EISDIR');
  reader.close();
  await opened.synced();
  expect(await wordsWithoutLog()).toEqual(['one']);
});

it('the error of the system is reported also while another write is in progress', async () => {
  const opened = logAt('.');
  writer.exec("begin; insert into words values ('one')");
  await expect(opened.synced()).rejects.toThrow('EISDIR');
  writer.exec('commit');
  await opened.synced();
  expect(await wordsWithoutLog()).toEqual(['one']);
});

it('the database file alone holds everything once nothing is written', async () => {
  const opened = logAt('main.db-wal', 1);
  const reader = open('main.db');
  reader.exec('begin; select * from words');
  writer.exec("insert into words values ('one')");
  await opened.synced();
  // Another process still reads the earlier state.
  expect(await wordsWithoutLog()).toEqual([]);
  reader.close();
  await expect.poll(wordsWithoutLog).toEqual(['one']);
});
