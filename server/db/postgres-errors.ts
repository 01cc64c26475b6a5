import pg from 'pg';
import { isOutage, outages } from './outage.ts';

/**
 * Prefixes of error codes that mean PostgreSQL cannot be used: connections (08), resources such as a full
 * disk (53), operator intervention (57), and a connection that is refused because of the password (28), the
 * name of the database (3D) or because it accepts none (55000).
 */
const unusable = /^(08|28|3D|53|55000|57)/;

/** Damaged data or a damaged index (XX), or a file of a table that is gone (58P01). */
const damage = /^(XX00[12]|58P01)$/;

/** What our own mistakes throw. */
const bugs = [TypeError, RangeError, ReferenceError, SyntaxError];

/**
 * A sentence for an error that is an outage. Errors of PostgreSQL itself have a code. Every other error of
 * `pg` is about the connection.
 */
export function explain(error: unknown): string | undefined {
  if (error instanceof pg.DatabaseError) {
    if (error.code === '53100') return outages.full;
    // read_only_sql_transaction: a standby, or a primary that its owner has made read-only.
    if (error.code === '25006') return outages.readOnly;
    if (damage.test(error.code ?? '')) return outages.damaged;
    return unusable.test(error.code ?? '') ? outages.gone : undefined;
  }
  return bugs.some(bug => error instanceof bug) ? undefined : outages.gone;
}

/** Why a database cannot be opened; undefined for a bug. */
export function openingRefusal(error: unknown): string | undefined {
  const cause = isOutage(error) ? error.cause : error;
  if (cause instanceof pg.DatabaseError) return unusable.test(cause.code ?? '') ? cause.message : undefined;
  if (!isOutage(error)) return undefined;
  // A name with several addresses fails with an error for each, and no message of its own.
  const [{ message }] = cause instanceof AggregateError ? (cause.errors as [Error]) : [cause as Error];
  return message;
}
