import type { Generated } from 'kysely';

/** Stored counts of accounts, and the index for searching them (`accounts/members/count-users.ts`). */
export type CountTables = {
  /**
   * Accounts that have changed since they were counted and indexed, or were added or deleted. Written by
   * triggers alone.
   */
  stale_users: { user_id: string; marks: Generated<number> };
  /** How many of the counted accounts are in the same list and hold the same approved tags. */
  user_counts: {
    id: Generated<number>;
    /** A digest of the list and the tags. */
    key: string;
    list: CountedList;
    /** The sorted tag ids joined by a comma; empty for none. */
    tags: string;
    users: number;
  };
  /** Where an account is counted. `number` is its row in SQLite's `user_search`. */
  counted_users: { number: Generated<number>; user_id: string; count_id: number };
  /**
   * The index for searching accounts by sequences of letters. Its key is `rowid`, the number of
   * `counted_users`, in SQLite; `user_id` in PostgreSQL.
   */
  user_search: { rowid: Generated<number>; user_id: Generated<string>; letters: string };
};

/** The lists of users that admins see; an account is in one of them. */
export type CountedList = 'pending' | 'approved' | 'denied' | 'admins';
