import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from './tables.ts';

/**
 * The index by which accounts are found, as each engine keeps it. It holds sequences of letters
 * (`letters.ts`).
 */
export type UserSearch = {
  /** Makes counted accounts findable by these sequences, in place of earlier ones. Within a transaction. */
  index(trx: Kysely<Tables>, users: readonly { id: string; letters: readonly string[] }[]): Promise<void>;
  /**
   * Removes counted accounts from the index; must run before their rows in `counted_users` are deleted.
   * Within a transaction.
   */
  remove(trx: Kysely<Tables>, userIds: readonly string[]): Promise<void>;
  /** The ids of the accounts that hold all of these sequences, as a query. */
  ids(letters: readonly string[]): RawBuilder<unknown>;
  /** How many accounts hold all of these sequences, counted up to `most`. */
  count(db: Kysely<Tables>, letters: readonly string[], most: number): Promise<number>;
};

export const sqliteUserSearch: UserSearch = {
  index: async (trx, users) => {
    await sqliteUserSearch.remove(
      trx,
      users.map(user => user.id),
    );
    for (const { id, letters } of users) {
      await sql`insert into user_search (rowid, letters)
        select number, ${letters.map(token).join(' ')} from counted_users where user_id = ${id}`.execute(trx);
    }
  },
  remove: async (trx, userIds) => {
    for (const id of userIds) {
      await sql`delete from user_search
        where rowid = (select number from counted_users where user_id = ${id})`.execute(trx);
    }
  },
  ids: letters => sql`select counted_users.user_id from user_search
    join counted_users on counted_users.number = user_search.rowid
    where user_search match ${letters.map(token).join(' ')}`,
  count: async (db, letters, most) => {
    const { rows } = await sql<{ count: number }>`select count(*) as count from (
      select 1 from user_search where user_search match ${letters.map(token).join(' ')} limit ${most}
    )`.execute(db);
    return rows[0]?.count ?? 0;
  },
};

export const postgresUserSearch: UserSearch = {
  index: async (trx, users) => {
    const ids = users.map(user => user.id);
    // As JSON, because PostgreSQL has no arrays of arrays of different lengths.
    const letters = users.map(user => JSON.stringify(user.letters));
    await sql`insert into user_search (user_id, letters)
      select id, array(select jsonb_array_elements_text(cast(letters as jsonb)))
      from unnest(cast(${ids} as text[]), cast(${letters} as text[])) as users (id, letters)
      on conflict (user_id) do update set letters = excluded.letters`.execute(trx);
  },
  remove: async (trx, userIds) => {
    await sql`delete from user_search where user_id = any(${userIds})`.execute(trx);
  },
  // Computed as an array before anything else, as in `matches` (dialect.ts).
  ids: letters => sql`select unnest(array(select users_with_letters(cast(${letters} as text[]), null)))`,
  count: async (db, letters, most) => {
    const { rows } = await sql<{ count: number }>`select count(*) as count from (
      select users_with_letters(cast(${letters} as text[]), ${most})
    ) as found`.execute(db);
    return rows[0]?.count ?? 0;
  },
};

/**
 * A sequence as hexadecimal digits, because SQLite's tokenizer splits a text at everything that is neither
 * letter nor digit.
 */
const token = (letters: string) => Buffer.from(letters).toString('hex');
