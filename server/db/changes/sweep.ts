import { type Kysely, sql } from 'kysely';
import { dialectOf } from '../dialect.ts';
import type { Tables } from '../tables.ts';

const keptMs = 60 * 60_000;
/** Few enough to delay nobody. */
const rowsAtOnce = 2_000;

/**
 * Deletes rows older than an hour from the record of changes. A row of the kind `swept` then names the newest
 * deleted one: a process that has not polled for that long drops all its caches.
 */
export async function sweepChanges({ db }: { db: Kysely<Tables> }): Promise<void> {
  // In the order of the table's key, up to the first row that is young enough, so that the rest is not read.
  const order = sql.ref(dialectOf(db).engine === 'sqlite' ? 'seq' : 'xid');
  const old = sql`
    select ${order} as place, kind from changes
    where ${order} < coalesce(
      (select ${order} from changes where at >= ${Date.now() - keptMs} order by ${order} limit 1),
      (select ${order} from changes order by ${order} desc limit 1)
    )
    order by ${order} limit ${rowsAtOnce}`;
  for (;;) {
    const count = await db.transaction().execute(async trx => {
      const { rows } = await sql<{ newest: string; kind: string }>`
        select cast(place as text) as newest, kind from (${old}) as old order by place desc`.execute(trx);
      const [newest] = rows;
      // Only `swept` rows: writing another would only cause the next sweep.
      if (newest === undefined || rows.every(row => row.kind === 'swept')) return 0;
      await sql`delete from changes where ${order} <= ${place(trx, newest.newest)}`.execute(trx);
      await trx.insertInto('changes').values({ kind: 'swept', key: newest.newest }).execute();
      return rows.length;
    });
    if (count < rowsAtOnce) return;
  }
}

function place(db: Kysely<Tables>, text: string) {
  return dialectOf(db).engine === 'sqlite' ? sql`${Number(text)}` : sql`${text}::xid8`;
}
