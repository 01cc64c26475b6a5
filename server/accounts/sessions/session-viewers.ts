import { sql } from 'kysely';
import { accountRows, type CredentialKey, type Viewer, viewerOf, viewerOfUser } from '../../access/viewer.ts';
import type { Config } from '../../config.ts';
import { dialectOf } from '../../db/dialect.ts';
import { timeOf } from '../../db/tables.ts';
import type { DbContext } from '../../db/transaction.ts';
import { endOf } from './session-rows.ts';
import { endOfToken, scopesOf } from './tokens.ts';

export type SessionViewer = { viewer: Viewer; expiresAt: number };

/**
 * The current viewers of sessions, and when these end; no entry for an ended session. Three queries for any
 * number: for streams, which stay open while rights change.
 */
export async function viewersOfSessions(
  { db, clock }: Pick<DbContext, 'db' | 'clock'>,
  sessionIds: readonly string[],
  defaultTagIds: ReadonlySet<string>,
): Promise<Map<string, SessionViewer>> {
  const { inList } = dialectOf(db);
  const rows = await db
    .selectFrom('sessions')
    .select(['id', 'user_id', 'expires_at', 'created_at'])
    .where(inList(sql.ref('id'), sessionIds))
    .execute();
  const now = clock();
  const sessions = rows
    .map(({ id, user_id, expires_at, created_at }) => ({
      id,
      user_id,
      expiresAt: endOf({ createdAt: timeOf(created_at), expiresAt: timeOf(expires_at) }),
    }))
    .filter(session => session.expiresAt > now);
  const userIds = [...new Set(sessions.map(session => session.user_id))];
  const users = await accountRows(db)
    .where(inList(sql.ref('users.id'), userIds))
    .execute();
  // After the accounts: an approval with fewer tags would otherwise be seen with the earlier tags.
  const approved = await db
    .selectFrom('approved_tags')
    .selectAll()
    .where(inList(sql.ref('user_id'), userIds))
    .execute();
  const tags = Map.groupBy(approved, row => row.user_id);
  const viewers = new Map(
    users.map(user => {
      const tagIds = (tags.get(user.id) ?? []).map(row => row.tag_id);
      return [user.id, viewerOf(user, tagIds, defaultTagIds)];
    }),
  );
  return new Map(
    sessions.flatMap(({ id, user_id, expiresAt }) => {
      const viewer = viewers.get(user_id);
      return viewer === undefined ? [] : [[id, { viewer, expiresAt }]];
    }),
  );
}

/**
 * The current viewer of a session or access token; undefined once it has ended, and for a token that may not
 * read.
 */
export async function viewerOfCredential(
  context: DbContext & { config: Config },
  { kind, id }: CredentialKey,
  defaultTagIds: ReadonlySet<string>,
): Promise<Viewer | undefined> {
  const { db, clock, config } = context;
  if (kind === 'session') return (await viewersOfSessions(context, [id], defaultTagIds)).get(id)?.viewer;
  const token = await db
    .selectFrom('access_tokens')
    .select(['user_id', 'created_at', 'expires_at', 'scopes'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (token === undefined || endOfToken(token, config) <= clock()) return undefined;
  return scopesOf(token).includes('read') ? await viewerOfUser(db, token.user_id, defaultTagIds) : undefined;
}
