import { type Kysely, type SqlBool, sql } from 'kysely';
import { historyPerPage } from '../../contract/constants.ts';
import { moment } from '../../contract/date.ts';
import { HistoryDetail, type HistoryEntry } from '../../contract/history.ts';
import type { HistoryKind } from '../../contract/history-kinds.ts';
import { dialectOf } from '../db/dialect.ts';
import { nameContains } from '../db/name-contains.ts';
import { readPage } from '../db/page.ts';
import type { HistoryRow, Tables } from '../db/tables.ts';

type HistoryFilter = {
  /** A part of a username as it was, or of the name that a member has now, in any case; empty for all. */
  person?: string;
  /** A whole username as it was, in any case. */
  username?: string | undefined;
  kind?: HistoryKind | null | undefined;
  /** Milliseconds: from the first on, and before the second. */
  since?: number | undefined;
  until?: number | undefined;
};

/**
 * A page of the history of rights, newest first. For admins. Throws invalid-argument for an invalid cursor.
 */
export async function listHistory(
  db: Kysely<Tables>,
  filter: HistoryFilter,
  { after, limit = historyPerPage }: { after?: string | null | undefined; limit?: number },
): Promise<{ entries: HistoryEntry[]; nextCursor: string | null }> {
  const { rows, nextCursor } = await readPage(
    matching(db, filter),
    { columns: ['at', 'id'], direction: 'desc', after, limit },
    row => ({ sortedBy: row.at, id: row.id }),
  );
  return { entries: await withAddresses(db, rows.map(describeEntry)), nextCursor };
}

/**
 * Names invitations without a name by the address that they are for, as the list of invitations does, for as
 * long as it has them. The history itself stores no address.
 */
async function withAddresses(db: Kysely<Tables>, entries: HistoryEntry[]): Promise<HistoryEntry[]> {
  const ids = entries.flatMap(({ thing }) => (thing === undefined ? [] : [thing.id]));
  if (ids.length === 0) return entries;
  const rows = await db
    .selectFrom('invitations')
    .select(['id', 'email'])
    .where('id', 'in', ids)
    .where('name', 'is', null)
    .execute();
  const addresses = new Map(rows.map(({ id, email }) => [id, email]));
  return entries.map(entry => {
    const name = addresses.get(entry.thing?.id ?? '');
    return entry.thing !== undefined && name ? { ...entry, thing: { ...entry.thing, name } } : entry;
  });
}

function matching(db: Kysely<Tables>, { person = '', username, kind, since, until }: HistoryFilter) {
  let query = db.selectFrom('history').selectAll();
  if (kind != null) query = query.where('kind', '=', kind);
  if (since !== undefined) query = query.where('at', '>=', since);
  if (until !== undefined) query = query.where('at', '<', until);
  // Usernames are ASCII, which both engines fold alike.
  if (username !== undefined) {
    const isNamed = (column: string) => sql<SqlBool>`lower(${sql.ref(column)}) = ${username.toLowerCase()}`;
    query = query.where(eb => eb.or([isNamed('actor_name'), isNamed('user_name')]));
  }
  if (person === '') return query;
  const { containsText } = dialectOf(db);
  const members = db.selectFrom('users').select('users.id').where(nameContains(db, person));
  return query.where(eb =>
    eb.or([
      containsText(sql.ref('actor_name'), person),
      containsText(sql.ref('user_name'), person),
      eb('actor_id', 'in', members),
      eb('user_id', 'in', members),
    ]),
  );
}

function describeEntry(row: HistoryRow): HistoryEntry {
  const named = (id: string | null, name: string | null) => (id === null ? null : { id, name: name ?? '' });
  return {
    id: row.id,
    at: moment(row.at),
    kind: row.kind,
    actor: named(row.actor_id, row.actor_name),
    via: row.via,
    viaName: row.via_name,
    address: row.address,
    user: named(row.user_id, row.user_name),
    ...HistoryDetail.parse(JSON.parse(row.detail)),
  };
}

/** In entries of these kinds the thing belongs to the account itself, and the texts call it their own. */
const ownThings: Partial<Record<HistoryKind, string>> = {
  'token-made': 'token',
  'token-revoked': 'token',
  'passkey-added': 'passkey',
  'passkey-removed': 'passkey',
};

/**
 * The entries about an account, for its owner: what they did, and what was decided about them. They leave out
 * other people and tags, because a former admin may not know these any more.
 */
export async function historyAbout(db: Kysely<Tables>, userId: string): Promise<object[]> {
  const rows = await db
    .selectFrom('history')
    .selectAll()
    .where(eb => eb.or([eb('actor_id', '=', userId), eb('user_id', '=', userId)]))
    .orderBy('at')
    .orderBy('id')
    .execute();
  return rows.map(row => {
    const { at, kind, actor, user, via, viaName, address, thing } = describeEntry(row);
    const own = ownThings[kind];
    return {
      at,
      kind,
      ...(actor?.id === userId ? { isOwn: true, via, viaName, address } : { isOwn: false }),
      ...(user?.id === userId && own !== undefined && { [own]: thing?.name }),
    };
  });
}
