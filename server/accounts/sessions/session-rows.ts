import { type Kysely, type Selectable, sql } from 'kysely';
import { moment } from '../../../contract/date.ts';
import type { RequestContext } from '../../access/context.ts';
import { dayMs, hourMs } from '../../base/clock.ts';
import { createId } from '../../base/id.ts';
import { newToken } from '../../base/secrets.ts';
import { dialectOf } from '../../db/dialect.ts';
import { type Tables, timeOf } from '../../db/tables.ts';
import type { DbContext } from '../../db/transaction.ts';

/** A session of an account. Times in milliseconds. */
export type Session = {
  id: string;
  token: string;
  userId: string;
  /** Whether use prolongs it; others end after a day, and with the browser. */
  isLong: boolean;
  createdAt: number;
  expiresAt: number;
};

/** How long an unused long session lasts, and how often its use prolongs it. */
export const longSession = { lastsMs: 30 * dayMs, renewedAfterMs: hourMs } as const;
const shortSessionMs = dayMs;
/**
 * A session ends a year after it began, however often it is used: otherwise a copied cookie, from a lost
 * laptop or a backup, would stay valid for as long as it is used.
 */
export const sessionMaxMs = 365 * dayMs;
const sessionsPerAccount = 50;

/** When a session ends, unless use prolongs it. */
export function endOf({ createdAt, expiresAt }: Pick<Session, 'createdAt' | 'expiresAt'>): number {
  return Math.min(expiresAt, createdAt + sessionMaxMs);
}

/** When use will prolong a long session again. */
export function renewalOf(expiresAt: number): number {
  return expiresAt - (longSession.lastsMs - longSession.renewedAfterMs);
}

/** Begins a session, in a transaction that has locked the account. */
export async function insertSession(
  trx: Kysely<Tables>,
  {
    clock,
    requestHeaders,
    network,
  }: Pick<DbContext, 'clock'> & Pick<RequestContext, 'requestHeaders' | 'network'>,
  { userId, isLong, shownAt }: { userId: string; isLong: boolean; shownAt: number | undefined },
): Promise<Session> {
  const createdAt = clock();
  const expiresAt = createdAt + (isLong ? longSession.lastsMs : shortSessionMs);
  const session = { id: createId(), token: newToken(), userId, isLong, createdAt, expiresAt };
  await trx
    .insertInto('sessions')
    .values({
      id: session.id,
      token: session.token,
      user_id: userId,
      is_long: isLong,
      password_given_at: shownAt ?? null,
      ip_address: network,
      user_agent: requestHeaders.get('user-agent'),
      expires_at: moment(expiresAt),
      created_at: moment(createdAt),
      updated_at: moment(createdAt),
    })
    .execute();
  return session;
}

/** The session with this token; undefined if it has ended. */
export async function findSession(
  { db, clock }: Pick<DbContext, 'db' | 'clock'>,
  token: string,
): Promise<Session | undefined> {
  const row = await db
    .selectFrom('sessions')
    .select(['id', 'token', 'user_id', 'is_long', 'created_at', 'expires_at'])
    .where('token', '=', token)
    .executeTakeFirst();
  const session = row && sessionOf(row);
  return session !== undefined && endOf(session) > clock() ? session : undefined;
}

type SessionRow = Pick<
  Selectable<Tables['sessions']>,
  'id' | 'token' | 'user_id' | 'is_long' | 'created_at' | 'expires_at'
>;

function sessionOf({ id, token, user_id, is_long, created_at, expires_at }: SessionRow): Session {
  return {
    id,
    token,
    userId: user_id,
    isLong: Boolean(is_long),
    createdAt: timeOf(created_at),
    expiresAt: timeOf(expires_at),
  };
}

/** Prolongs a session that is in use; undefined if it has ended meanwhile. */
export async function renewSession(
  { db, clock }: Pick<DbContext, 'db' | 'clock'>,
  session: Session,
): Promise<Session | undefined> {
  const now = clock();
  const expiresAt = now + longSession.lastsMs;
  const { numUpdatedRows } = await db
    .updateTable('sessions')
    .set({ expires_at: moment(expiresAt), updated_at: moment(now) })
    .where('id', '=', session.id)
    .executeTakeFirst();
  return numUpdatedRows === 0n ? undefined : { ...session, expiresAt };
}

/** Deletes expired sessions, which nothing else deletes. */
export async function sweepSessions({ db, clock }: Pick<DbContext, 'db' | 'clock'>): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where(eb =>
      eb.or([eb('expires_at', '<', moment(clock())), eb('created_at', '<', moment(clock() - sessionMaxMs))]),
    )
    .execute();
}

export async function endOldest(db: Kysely<Tables>, userId: string): Promise<void> {
  const surplus = await db
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(sessionsPerAccount)
    .limit(1_000)
    .execute();
  if (surplus.length === 0) return;
  const ids = surplus.map(session => session.id);
  await db
    .deleteFrom('sessions')
    .where(dialectOf(db).inList(sql.ref('id'), ids))
    .execute();
}
