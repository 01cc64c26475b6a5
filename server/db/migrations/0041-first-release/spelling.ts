import { type RawBuilder, sql } from 'kysely';

/** What the two engines spell differently in the definition of a table. */
export type Spelling = {
  /** A time of an account or a session: ISO text in SQLite. Other times are milliseconds, as bigint. */
  authTime: RawBuilder<unknown>;
  yes: RawBuilder<unknown>;
  no: RawBuilder<unknown>;
  /** A primary key that the engine increments. */
  counted: RawBuilder<unknown>;
  /** Text that is ordered byte by byte, whatever the language of the database. */
  bytewise: RawBuilder<unknown>;
};

export const spellings: Readonly<Record<'sqlite' | 'postgres', Spelling>> = {
  sqlite: {
    authTime: sql`text`,
    yes: sql`1`,
    no: sql`0`,
    counted: sql`integer primary key autoincrement`,
    bytewise: sql`text`,
  },
  postgres: {
    authTime: sql`timestamptz`,
    yes: sql`true`,
    no: sql`false`,
    counted: sql`integer primary key generated always as identity`,
    bytewise: sql`text collate "C"`,
  },
};
