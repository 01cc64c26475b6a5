/**
 * A row for each connection to this database that waits for a lock. The engine is shared with other tests,
 * and a lock on a row names no database.
 */
export const waitingLocks = `select distinct pid from pg_locks join pg_stat_activity using (pid)
  where not granted and pg_stat_activity.datname = current_database()`;
