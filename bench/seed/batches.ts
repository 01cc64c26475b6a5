import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '../../server/db/tables.ts';

/** Rows of one statement: 15 columns of them stay below the 32,766 parameters that SQLite takes. */
const batchRows = 500;
/** Rows of one transaction. */
const transactionRows = 5_000;

/**
 * Writes rows in batches of one statement each, with many statements in a transaction. `items` may be a
 * generator.
 */
export async function insertInBatches<T>(
  db: Kysely<Tables>,
  items: Iterable<T>,
  insert: (trx: Transaction<Tables>, batch: T[]) => Promise<void>,
): Promise<void> {
  for (const part of inParts(items, transactionRows)) {
    await db.transaction().execute(async trx => {
      for (const batch of inParts(part, batchRows)) await insert(trx, batch);
    });
  }
}

function* inParts<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let part: T[] = [];
  for (const item of items) {
    part.push(item);
    if (part.length === size) {
      yield part;
      part = [];
    }
  }
  if (part.length > 0) yield part;
}
