import type { Kysely } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import type { AccessToken } from '../../contract/tokens.ts';
import { createAccessToken } from '../access/access-token.ts';
import type { Clock } from '../clock.ts';
import type { Tables } from '../db/tables.ts';
import { createId } from '../id.ts';
import { describeToken } from './read.ts';

const day = 24 * 60 * 60 * 1_000;
const maxTokens = 50;

/** Makes a token for an account; the answer is the only place where it can be read. Throws failed-precondition. */
export async function makeAccessToken(
  { db, clock }: { db: Kysely<Tables>; clock: Clock },
  userId: string,
  { name, expiresInDays }: { name: string; expiresInDays: number | null },
): Promise<{ token: string; accessToken: AccessToken }> {
  const { count } = await db
    .selectFrom('access_tokens')
    .select(eb => eb.fn.countAll<string | number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  if (Number(count) >= maxTokens) {
    throw new AppError('failed-precondition', `You have ${maxTokens} tokens. Revoke one first.`);
  }
  const { token, digest } = createAccessToken();
  const now = clock();
  const row = {
    id: createId(),
    name,
    created_at: now,
    expires_at: expiresInDays === null ? null : now + expiresInDays * day,
    last_used_at: null,
  };
  await db
    .insertInto('access_tokens')
    .values({ ...row, user_id: userId, digest })
    .execute();
  return { token, accessToken: describeToken(row) };
}

/** Ends a token of this account, if there is such a one. */
export async function revokeAccessToken(db: Kysely<Tables>, userId: string, id: string): Promise<void> {
  await db.deleteFrom('access_tokens').where('id', '=', id).where('user_id', '=', userId).execute();
}
