import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '../../server/db/tables.ts';

/** Rows of one statement: 15 columns of them stay below the 32,766 parameters that SQLite takes. */
const batchRows = 500;
/** Rows of one transaction. */
const transactionRows = 5_000;

/** Hands rows on in batches for one statement each, many of them to a transaction. `items` may be made on the way. */
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
