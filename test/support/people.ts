import type { Insertable, Kysely } from 'kysely';
import { insertSession as begin } from '../../server/accounts/sessions/session-rows.ts';
import { signedToken } from '../../server/accounts/sessions/session-token.ts';
import type { Clock } from '../../server/base/clock.ts';
import { createId } from '../../server/base/id.ts';
import type { Tables } from '../../server/db/tables.ts';

/**
 * Accounts and sessions straight into the tables: hashing a password takes longer than most tests. The tests
 * of sign-up and sign-in go the long way, and prove that a real session is taken the same way.
 */

type NewUser = { username: string; name: string } & Partial<Insertable<Tables['users']>>;

/** An account that waits for approval, unless `columns` say otherwise. Returns its id. */
export async function insertUser(
  db: Kysely<Tables>,
  { username, ...columns }: NewUser,
  now = Date.now(),
): Promise<string> {
  const id = columns.id ?? createId();
  const date = new Date(now).toISOString();
  await db
    .insertInto('users')
    .values({
      id,
      email: `${username}@example.com`.toLowerCase(),
      email_verified: false,
      image: null,
      created_at: date,
      updated_at: date,
      username: username.toLowerCase(),
      display_username: username,
      is_admin: false,
      approved_at: null,
      denied_at: null,
      ...columns,
    })
    .execute();
  return id;
}

/** A session as the site makes it. Returns the value of its cookie, signed with the site's secret. */
export async function insertSession(
  { db, secret, clock }: { db: Kysely<Tables>; secret: string; clock: Clock },
  userId: string,
): Promise<string> {
  const request = { clock, requestHeaders: new Headers(), network: null };
  const session = await begin(db, request, { userId, isLong: true, shownAt: undefined });
  return encodeURIComponent(signedToken(secret, session.token));
}
