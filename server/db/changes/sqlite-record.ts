import type { DatabaseSync } from 'node:sqlite';
import { isLocked, untilUnlocked } from '../sqlite-errors.ts';
import type { Poll, RecordReader } from './record.ts';
import { changedBy, mostRows, type RecordRow } from './record.ts';

const nothing: Poll = { changed: new Set(), isReadOnly: false };
const everything: Poll = { changed: 'all', isReadOnly: false };

/**
 * The record in a SQLite file. `data_version` rises on a handle when another one commits, so a poll that
 * finds nothing costs a few microseconds; writers follow one another, so the order of the numbers is that of
 * the commits.
 */
export class SqliteRecord implements RecordReader {
  #read: () => Poll = () => everything;

  /** `database` must be a handle that writes nothing itself. */
  open(database: DatabaseSync): void {
    const dataVersion = database.prepare('pragma data_version');
    // Prepared at the first poll: an old file gets its record while it is opened.
    const prepareRows = () =>
      database.prepare('select seq, kind, key from changes where seq > ? order by seq limit ?');
    const prepareNewest = () => database.prepare('select coalesce(max(seq), 0) as seq from changes');
    let rows: ReturnType<typeof prepareRows> | undefined;
    let seen: unknown;
    let newest = 0;
    this.#read = () => {
      const version = dataVersion.get()?.data_version;
      if (version === seen) return nothing;
      rows ??= prepareRows();
      const found = rows.all(newest, mostRows + 1) as RecordRow[];
      const changed = seen === undefined ? 'all' : changedBy(found, swept => swept > newest);
      const last = found.length > mostRows ? prepareNewest().get()?.seq : found.at(-1)?.seq;
      newest = Number(last ?? newest);
      seen = version;
      return { changed, isReadOnly: false };
    };
  }

  close(): void {
    this.#read = () => everything;
  }

  poll(): Poll | Promise<Poll> {
    try {
      return this.#read();
    } catch (error) {
      // Another process locks the whole database for a moment when it opens or closes it.
      if (isLocked(error)) return untilUnlocked(() => this.#read());
      // The next query reports any other fault of the file. Until then nothing is answered from a cache.
      return everything;
    }
  }
}
