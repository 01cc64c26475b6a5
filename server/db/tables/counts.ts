import type { Generated } from 'kysely';

/** What is counted of accounts, and the index that they are found by (`accounts/count-users.ts`). */
export type CountTables = {
  stale_users: StaleUsersTable;
  user_counts: UserCountsTable;
  counted_users: CountedUsersTable;
  user_search: UserSearchTable;
};

/** The lists of admins, one of which holds an account. */
export type CountedList = 'pending' | 'approved' | 'denied' | 'admins';

/** Accounts that have changed since they were counted and indexed, or were added or deleted. Written by triggers alone. */
type StaleUsersTable = { user_id: string; marks: Generated<number> };

/** How many of the counted accounts are in the same list and hold the same approved tags. */
type UserCountsTable = {
  id: Generated<number>;
  /** A digest of the list and the tags. */
  key: string;
  list: CountedList;
  /** The sorted tag ids joined by a comma; empty for none. */
  tags: string;
  users: number;
};

/** Where an account is counted. `number` is its row in SQLite's `user_search`. */
type CountedUsersTable = { number: Generated<number>; user_id: string; count_id: number };

/** By which letters accounts are found: by `rowid`, the number of `counted_users`, in SQLite; by `user_id` in PostgreSQL. */
type UserSearchTable = { rowid: Generated<number>; user_id: Generated<string>; letters: string };
