import type { Kysely } from 'kysely';
import type { AccessToken } from '../../../contract/accounts/tokens.ts';
import { moment } from '../../../contract/date.ts';
import { AppError, fieldError } from '../../../contract/errors.ts';
import { scopes as allScopes, type Scope } from '../../../contract/operation.ts';
import { dayMs } from '../../base/clock.ts';
import { createId } from '../../base/id.ts';
import { digestOf, newToken } from '../../base/secrets.ts';
import type { Config } from '../../config.ts';
import { countRows } from '../../db/count-rows.ts';
import type { AccessTokenRow, Tables } from '../../db/tables.ts';
import { type DbContext, inTransaction, type WriteContext } from '../../db/transaction.ts';
import { recordHistory } from '../../history/write.ts';
import { queueNotice } from '../../mail/write.ts';

type LongestLife = Pick<Config, 'tokenMaxDays'>;

/**
 * Distinguishes a personal access token from a session's token, for us and for scanners of leaked secrets.
 */
const prefix = 'coterie_';

export const isAccessToken = (token: string) => token.startsWith(prefix);

/**
 * The last use of a token is recorded at most once in this time, to save a write with each request.
 * Milliseconds.
 */
const useNotedMs = 60 * 60 * 1_000;

/** A valid token and its account. Records when and from where it was used. */
export async function findAccessToken(
  { db, clock, config }: DbContext & { config: Config },
  token: string,
  network: string | null,
): Promise<{ id: string; userId: string; name: string; scopes: readonly Scope[] } | undefined> {
  const row = await db
    .selectFrom('access_tokens')
    .selectAll()
    .where('digest', '=', digestOf(token))
    .executeTakeFirst();
  const now = clock();
  if (row === undefined || endOfToken(row, config) <= now) return undefined;
  if (
    row.last_used_at === null ||
    row.last_used_at + useNotedMs <= now ||
    (network !== null && row.last_used_from !== network)
  ) {
    await db
      .updateTable('access_tokens')
      .set({ last_used_at: now, last_used_from: network ?? row.last_used_from })
      .where('id', '=', row.id)
      .execute()
      // A full disk must not stop programs from reading.
      .catch(() => {});
  }
  return { id: row.id, userId: row.user_id, name: row.name, scopes: scopesOf(row) };
}

/**
 * When a token ends, in milliseconds: at its own date, or at the site's limit if that is earlier. Infinity
 * for never.
 */
export function endOfToken(
  row: { created_at: number; expires_at: number | null },
  { tokenMaxDays }: LongestLife,
): number {
  const longest = row.created_at + (tokenMaxDays ?? Number.POSITIVE_INFINITY) * dayMs;
  return Math.min(row.expires_at ?? Number.POSITIVE_INFINITY, longest);
}

/** The scopes of a token as its row holds them. */
export function scopesOf(row: { scopes: string }): Scope[] {
  const held = row.scopes.split(' ');
  return allScopes.filter(scope => held.includes(scope));
}

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

function describeToken(row: AccessTokenRow, config: LongestLife): AccessToken {
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

/**
 * Makes an access token, and mails the owner; only the answer contains it. Needs a recent sign-in, so that an
 * open browser cannot be turned into lasting access. Throws failed-precondition, and invalid-argument for a
 * lifetime above the site's limit.
 */
export async function makeAccessToken(
  context: WriteContext & { config: LongestLife },
  userId: string,
  { name, scopes, expiresInDays }: { name: string; scopes: readonly Scope[]; expiresInDays: number | null },
): Promise<{ token: string; accessToken: AccessToken }> {
  const { tokenMaxDays } = context.config;
  if (tokenMaxDays !== undefined && (expiresInDays === null || expiresInDays > tokenMaxDays)) {
    throw fieldError('expiresInDays', `On this site a token ends after ${tokenMaxDays} days at most.`);
  }
  const token = `${prefix}${newToken(32)}`;
  const now = context.clock();
  return await inTransaction(context, async trx => {
    await context.requireRecentSignIn(trx);
    const count = await countRows(trx.selectFrom('access_tokens').where('user_id', '=', userId));
    if (count >= maxTokens) {
      throw new AppError('failed-precondition', `You have ${maxTokens} tokens. Revoke one first.`);
    }
    const row = await trx
      .insertInto('access_tokens')
      .values({
        id: createId(),
        user_id: userId,
        name,
        digest: digestOf(token),
        scopes: scopes.join(' '),
        created_at: now,
        expires_at: expiresInDays === null ? null : now + expiresInDays * dayMs,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await queueNotice(trx, now, userId, 'token-made', { name });
    await recordHistory(trx, context, {
      kind: 'token-made',
      user: userId,
      thing: { id: row.id, name },
      after: row.scopes,
    });
    return { token, accessToken: describeToken(row, context.config) };
  });
}

/** Ends a token of this account, if it exists. */
export async function revokeAccessToken(context: WriteContext, userId: string, id: string): Promise<void> {
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
      user: userId,
      thing: { id, name: revoked.name },
    });
  });
}
