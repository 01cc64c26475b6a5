import pg from 'pg';
import { isOutage, outages } from './outage.ts';

/**
 * What PostgreSQL says itself carries a code: of connections (08), of resources, a full disk among them (53), of an
 * operator (57). Everything else that `pg` throws is about the line to it.
 */
export function explain(error: unknown): string | undefined {
  if (error instanceof pg.DatabaseError) {
    if (error.code === '53100') return outages.full;
    // read_only_sql_transaction: a standby, or a primary that its owner has shut to writes.
    if (error.code === '25006') return outages.readOnly;
    return /^(08|53|57)/.test(error.code ?? '') ? outages.gone : undefined;
  }
  return error instanceof TypeError ? undefined : outages.gone;
}

/** Why a database does not let itself be opened; undefined for what is a bug instead. */
export function openingRefusal(error: unknown): string | undefined {
  const cause = isOutage(error) ? error.cause : error;
  // Beside the codes of an outage: what it says of the password (28) and the name of the database (3D).
  if (cause instanceof pg.DatabaseError)
    return /^(08|28|3D|53|57)/.test(cause.code ?? '') ? cause.message : undefined;
  if (!isOutage(error)) return undefined;
  // A name with several addresses fails with an error for each, and no message of its own.
  const [{ message }] = cause instanceof AggregateError ? (cause.errors as [Error]) : [cause as Error];
  return message;
}
