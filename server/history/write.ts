import type { Kysely } from 'kysely';
import type { HistoryDetail, Named } from '../../contract/history.ts';
import type { HistoryKind } from '../../contract/history-kinds.ts';
import { dayMs } from '../base/clock.ts';
import { createId } from '../base/id.ts';
import type { Config } from '../config.ts';
import { writeSetting } from '../db/setting.ts';
import type { Tables } from '../db/tables.ts';
import { type Actor, inTransaction, type WriteContext } from '../db/transaction.ts';

export type HistoryEvent = HistoryDetail & {
  kind: HistoryKind;
  /** The id of the account that it is about, which must exist. */
  user?: string | undefined;
  /** Whether that account acted, whoever writes: this call signs its owner in. */
  isByUser?: boolean;
};

/** A statement takes a limited number of values, of which an event has nine. */
const eventsAtOnce = 500;

const server: Actor = { user: null, via: 'server', viaName: null, address: null };

/**
 * Adds an event to the history of rights within the transaction that it describes, so that neither exists
 * without the other. Current names are stored, because the history is read after the named things are
 * deleted. Nothing secret belongs in it, no email address and no text of a post.
 */
export async function recordHistory(
  trx: Kysely<Tables>,
  { by = server, clock }: Pick<WriteContext, 'by' | 'clock'>,
  ...events: readonly HistoryEvent[]
): Promise<void> {
  const at = clock();
  for (let from = 0; from < events.length; from += eventsAtOnce) {
    const some = events.slice(from, from + eventsAtOnce);
    await trx
      .insertInto('history')
      .values(
        some.map(({ kind, user = null, isByUser = false, ...detail }) => {
          const name = trx.selectFrom('users').select('display_username').where('id', '=', user);
          return {
            id: createId(),
            at,
            kind,
            actor_id: isByUser ? user : (by.user?.id ?? null),
            actor_name: isByUser ? name : (by.user?.username ?? null),
            via: by.via,
            via_name: by.viaName,
            address: by.address,
            user_id: user,
            user_name: name,
            detail: JSON.stringify(detail),
          };
        }),
      )
      .execute();
  }
}

/**
 * The names of the tags that a change adds and removes: those in only one of the two lists. Within the
 * transaction.
 */
export async function differenceOfTags(
  trx: Kysely<Tables>,
  before: Iterable<string>,
  after: Iterable<string>,
): Promise<{ gave: Named[]; took: Named[] }> {
  const old = new Set(before);
  const now = new Set(after);
  const gave = [...now].filter(id => !old.has(id));
  const took = [...old].filter(id => !now.has(id));
  if (gave.length + took.length === 0) return { gave: [], took: [] };
  const rows = await trx.selectFrom('tags').select(['id', 'name']).execute();
  const names = new Map(rows.map(row => [row.id, row.name]));
  const named = (ids: readonly string[]) => ids.map(id => ({ id, name: names.get(id) ?? '' }));
  return { gave: named(gave), took: named(took) };
}

/**
 * Deletes entries after the time that the site keeps them (`HISTORY_DAYS`). Triggers refuse every other
 * deletion: only entries older than the setting `history-kept-from` may be deleted, and only this function
 * writes that setting.
 */
export async function sweepHistory(
  deps: WriteContext & { config: Pick<Config, 'historyDays'> },
): Promise<void> {
  const { db, clock, config } = deps;
  if (config.historyDays === undefined) return;
  const keptFrom = clock() - config.historyDays * dayMs;
  const old = await db
    .selectFrom('history')
    .select('id')
    .where('at', '<', keptFrom)
    .limit(1)
    .executeTakeFirst();
  if (old === undefined) return;
  await inTransaction(deps, async trx => {
    await writeSetting(trx, 'history-kept-from', String(keptFrom));
    await trx.deleteFrom('history').where('at', '<', keptFrom).execute();
  });
}
