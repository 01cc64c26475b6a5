import type { Kysely } from 'kysely';
import { deviceName } from '../../../contract/accounts/device-name.ts';
import type { RequestContext } from '../../access/context.ts';
import { readCookie, setCookie } from '../../access/cookies.ts';
import { digestOf, newToken } from '../../base/secrets.ts';
import type { Tables } from '../../db/tables.ts';
import type { DbContext } from '../../db/transaction.ts';
import { queueNotice } from '../../mail/write.ts';

/** The longest time that browsers keep a cookie. */
const keptSeconds = 400 * 24 * 60 * 60;
/** The most known browsers per account: a program without cookies is a new one at each sign-in. */
const browsersPerAccount = 50;

/** The random name of this browser: from its cookie, or a new one. It does not identify a person. */
export function browserCookie(deps: Pick<RequestContext, 'config' | 'requestHeaders'>): string {
  const held = readCookie(deps, 'browser');
  return held !== undefined && /^[\w-]{32}$/.test(held) ? held : newToken();
}

/** Stores the browser's name in a cookie, which grants nothing. */
export function setBrowserCookie(
  deps: Pick<RequestContext, 'config' | 'replyHeaders'>,
  browser: string,
): void {
  setCookie(deps, 'browser', browser, { maxAge: keptSeconds });
}

type SignIn = { userId: string; browser: string };

/**
 * Mails the owner about a sign-in, unless the browser is known by its cookie, or has the kind and network of
 * an open session. A program without cookies is reported once a day. The browser is known from then on.
 * `sessionId` is the new session.
 */
export async function noticeSignIn(
  trx: Kysely<Tables>,
  {
    clock,
    requestHeaders,
    network,
  }: Pick<DbContext, 'clock'> & Pick<RequestContext, 'requestHeaders' | 'network'>,
  { userId, browser, sessionId }: SignIn & { sessionId: string },
): Promise<void> {
  const now = clock();
  const wasKnown = await knowBrowser(trx, now, { userId, browser });
  const agent = requestHeaders.get('user-agent');
  if (wasKnown || (await hasSessionLike(trx, { userId, sessionId, agent, network }))) return;
  const name = deviceName(agent);
  const day = new Date(now).toISOString().slice(0, 10);
  const once = `new-sign-in:${digestOf(`${userId} ${name} ${network} ${day}`)}`;
  await queueNotice(trx, now, userId, 'new-sign-in', { name, address: network, at: now, once });
}

async function hasSessionLike(
  trx: Kysely<Tables>,
  like: { userId: string; sessionId: string; agent: string | null; network: string | null },
): Promise<boolean> {
  const sessions = await trx
    .selectFrom('sessions')
    .select('user_agent')
    .where('user_id', '=', like.userId)
    .where('id', '<>', like.sessionId)
    .where('ip_address', 'is not distinct from', like.network)
    .execute();
  const name = deviceName(like.agent);
  return sessions.some(({ user_agent }) => deviceName(user_agent) === name);
}

/** Records a browser as known to the account's owner. Returns whether it already was. */
export async function knowBrowser(
  trx: Kysely<Tables>,
  now: number,
  { userId, browser }: SignIn,
): Promise<boolean> {
  const digest = digestOf(`${userId} ${browser}`);
  const used = { used_at: now };
  const { numUpdatedRows } = await trx
    .updateTable('known_browsers')
    .set(used)
    .where('digest', '=', digest)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return true;
  await trx
    .insertInto('known_browsers')
    .values({ digest, user_id: userId, ...used })
    .onConflict(conflict => conflict.column('digest').doNothing())
    .execute();
  const ofAccount = trx.selectFrom('known_browsers').select('digest').where('user_id', '=', userId);
  await trx
    .deleteFrom('known_browsers')
    .where('user_id', '=', userId)
    .where('digest', 'not in', ofAccount.orderBy('used_at', 'desc').limit(browsersPerAccount))
    .execute();
  return false;
}

/** Removes all known browsers of an account: an intruder's may be among them. */
export async function forgetBrowsers(trx: Kysely<Tables>, userId: string): Promise<void> {
  await trx.deleteFrom('known_browsers').where('user_id', '=', userId).execute();
}

/** Removes browsers whose cookie has expired. */
export async function sweepBrowsers({ db, clock }: DbContext): Promise<void> {
  await db
    .deleteFrom('known_browsers')
    .where('used_at', '<', clock() - keptSeconds * 1_000)
    .execute();
}
