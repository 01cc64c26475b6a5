import type { ColumnType } from 'kysely';

/** A real boolean in PostgreSQL, 0 or 1 in SQLite. */
export type Flag = ColumnType<boolean | 0 | 1, boolean, boolean>;

/** A flag with a default in the database, which an insert may leave out. */
export type OptionalFlag = ColumnType<boolean | 0 | 1, boolean | undefined, boolean>;

/** Times of accounts and sessions: ISO text in SQLite, timestamptz in PostgreSQL. Read them with `timeOf`. */
export type AuthTime = ColumnType<string | Date, string | Date, string | Date>;

/** The milliseconds of such a time. */
export function timeOf(time: string | Date): number {
  return typeof time === 'string' ? Date.parse(time) : time.getTime();
}
