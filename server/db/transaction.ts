import type { Kysely, Transaction } from 'kysely';
import type { HistoryVia } from '../../contract/history.ts';
import type { Clock } from '../base/clock.ts';
import { isDeadlock } from './dialect.ts';
import type { Tables } from './tables.ts';

/** The author of a change, as the history of rights names it. */
export type Actor = {
  user: { id: string; username: string } | null;
  via: HistoryVia;
  /** The name of the access token, or of the system user at the command line. */
  viaName: string | null;
  /** The address of the connection, as limits count it. */
  address: string | null;
};

/** Checks that must still pass when something is written for a caller. */
export type Guards = {
  /**
   * Runs first in every transaction: throws if the writer has lost the right to write, and locks their rights
   * until the transaction ends.
   */
  holdRights: (trx: Kysely<Tables>) => Promise<void>;
  /** Runs before anything irreversible: throws unless the writer has signed in recently. */
  requireRecentSignIn: (trx: Kysely<Tables>) => Promise<void>;
};

/**
 * The guards of work without a caller's rights: the command line, jobs, and work allowed by a link or by
 * signing in, which its own transaction checks.
 */
export const unguarded: Guards = { holdRights: async () => {}, requireRecentSignIn: async () => {} };

/** The database, the clock, and the author of changes. */
export type DbContext = {
  db: Kysely<Tables>;
  clock: Clock;
  /** Undefined for the server's own jobs. */
  by?: Actor | undefined;
};

/** The context of a write. The guards are required, so that none can be forgotten. */
export type WriteContext = DbContext & Guards;

/** How often a transaction is tried. With each deadlock, one of the transactions gets through. */
const maxAttempts = 5;

/**
 * Runs a transaction, and again if PostgreSQL rolled it back because of a deadlock. So `act` must do nothing
 * outside the database that must not be done twice.
 */
export async function inTransaction<T>(
  { db, holdRights }: Pick<WriteContext, 'db' | 'holdRights'>,
  act: (trx: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction().execute(async trx => {
        await holdRights(trx);
        return await act(trx);
      });
    } catch (error) {
      if (attempt === maxAttempts || !isDeadlock(error)) throw error;
    }
  }
}
