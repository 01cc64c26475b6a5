import type { Kysely } from 'kysely';
import type { AccessToken } from '../../contract/accounts/tokens.ts';
import { moment } from '../../contract/date.ts';
import { AppError, fieldError } from '../../contract/errors.ts';
import type { Scope } from '../../contract/operation.ts';
import { dayMs } from '../clock.ts';
import type { Config } from '../config.ts';
import type { AccessTokenRow, Tables } from '../db/tables.ts';
import { inTransaction } from '../db/transaction.ts';
import type { WriteDeps } from '../deps.ts';
import { recordHistory } from '../history/write.ts';
import { createId } from '../id.ts';
import { queueNotice } from '../mail/write.ts';
import { createAccessToken, endOfToken, scopesOf } from './access-token.ts';
import { namedAccount } from './read.ts';

/** The tokens of an account, newest first. */
export async function listAccessTokens(
  { db, config }: { db: Kysely<Tables>; config: LongestLife },
  userId: string,
): Promise<AccessToken[]> {
  const rows = await db
    .selectFrom('access_tokens')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
  return rows.map(row => describeToken(row, config));
}

type LongestLife = Pick<Config, 'tokenMaxDays'>;

function describeToken(row: Omit<AccessTokenRow, 'user_id' | 'digest'>, config: LongestLife): AccessToken {
  const end = endOfToken(row, config);
  return {
    id: row.id,
    name: row.name,
    createdAt: moment(row.created_at),
    scopes: scopesOf(row),
    expiresAt: moment(Number.isFinite(end) ? end : null),
    lastUsedAt: moment(row.last_used_at),
    lastUsedFrom: row.last_used_from,
  };
}

const maxTokens = 50;

type NewToken = { name: string; scopes: readonly Scope[]; expiresInDays: number | null };

/**
 * Makes a token for an account, and tells its owner by mail; the answer is the only place where it can be read. It takes a
 * recent sign-in, so that nobody prolongs a session that they have found open. Throws failed-precondition, and invalid-argument for a life that is longer than the site allows.
 */
export async function makeAccessToken(
  context: WriteDeps & { config: LongestLife },
  userId: string,
  { name, scopes, expiresInDays }: NewToken,
): Promise<{ token: string; accessToken: AccessToken }> {
  const { tokenMaxDays } = context.config;
  if (tokenMaxDays !== undefined && (expiresInDays === null || expiresInDays > tokenMaxDays)) {
    throw fieldError('expiresInDays', `On this site a token ends after ${tokenMaxDays} days at most.`);
  }
  const { token, digest } = createAccessToken();
  const now = context.clock();
  const row = {
    id: createId(),
    name,
    created_at: now,
    expires_at: expiresInDays === null ? null : now + expiresInDays * dayMs,
    scopes: scopes.join(' '),
    last_used_at: null,
    last_used_from: null,
  };
  await inTransaction(context, async trx => {
    await context.requireRecentSignIn?.(trx);
    const { count } = await trx
      .selectFrom('access_tokens')
      .select(eb => eb.fn.countAll<number>().as('count'))
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow();
    if (count >= maxTokens) {
      throw new AppError('failed-precondition', `You have ${maxTokens} tokens. Revoke one first.`);
    }
    await trx
      .insertInto('access_tokens')
      .values({ ...row, user_id: userId, digest })
      .execute();
    await queueNotice(trx, now, userId, 'token-made', { name });
    await recordHistory(trx, context, {
      kind: 'token-made',
      user: await namedAccount(trx, userId),
      thing: { id: row.id, name },
      after: row.scopes,
    });
  });
  return { token, accessToken: describeToken(row, context.config) };
}

/** Ends a token of this account, if there is such a one. */
export async function revokeAccessToken(context: WriteDeps, userId: string, id: string): Promise<void> {
  await inTransaction(context, async trx => {
    const revoked = await trx
      .deleteFrom('access_tokens')
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .returning('name')
      .executeTakeFirst();
    if (revoked === undefined) return;
    await recordHistory(trx, context, {
      kind: 'token-revoked',
      user: await namedAccount(trx, userId),
      thing: { id, name: revoked.name },
    });
  });
}
