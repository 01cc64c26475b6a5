import type { Kysely } from 'kysely';
import { dayMs } from '../base/clock.ts';
import { sign } from '../base/secrets.ts';
import type { Config } from '../config.ts';
import type { Tables } from '../db/tables.ts';
import { hexOf, withKey } from './reply-address.ts';
import { reasonOf } from './transport.ts';

/** After this many permanent bounces, mails to an address are paused. */
const bouncesUntilPause = 3;
/** In hexadecimal. */
const idCharacters = 24;
const signatureCharacters = 20;
/** A bounce older than this does not count. Milliseconds. */
const countedMs = 90 * dayMs;

type Account = { id: string; email: string };

/**
 * The return path of a mail to this account. It contains the account, and a signature of it and of its email
 * address, so that nobody can make one up or pause another address. Undefined if the site receives no mail,
 * and for an imported account whose id has another length.
 */
export function bounceAddress(
  { config, secret }: { config: Pick<Config, 'mailReplyAddress'>; secret: string },
  account: Account,
): string | undefined {
  const id = Buffer.from(account.id, 'base64url').toString('hex');
  if (config.mailReplyAddress === undefined || id.length !== idCharacters) return undefined;
  return withKey(config.mailReplyAddress, id + signatureOf(secret, account));
}

/** The account whose current address has this key in its {@link bounceAddress}; undefined for none. */
export async function accountOfBounce(
  { db, secret }: { db: Kysely<Tables>; secret: string },
  key: string,
): Promise<string | undefined> {
  if (key.length !== idCharacters + signatureCharacters) return undefined;
  const id = Buffer.from(key.slice(0, idCharacters), 'hex').toString('base64url');
  const account = await db
    .selectFrom('users')
    .select(['id', 'email'])
    .where('id', '=', id)
    .executeTakeFirst();
  return account !== undefined && key.endsWith(signatureOf(secret, account)) ? id : undefined;
}

/**
 * Records that a mail to an account's address bounced permanently. Bounces of another address, or from long
 * ago, no longer count.
 */
export async function noteBounce(
  db: Kysely<Tables>,
  now: number,
  { userId, address, reason }: { userId: string; address: string; reason: string },
): Promise<void> {
  const row = { address, reason: reasonOf(reason), last_at: now };
  await db
    .insertInto('bounces')
    .columns(['user_id', 'address', 'reason', 'last_at', 'count'])
    .expression(eb =>
      eb
        .selectFrom('users')
        .select([
          'id',
          'email',
          eb.val(row.reason).as('reason'),
          eb.val(now).as('last_at'),
          eb.lit(1).as('count'),
        ])
        .where('id', '=', userId)
        .where('email', '=', address),
    )
    .onConflict(conflict =>
      conflict.column('user_id').doUpdateSet(eb => ({
        ...row,
        count: eb
          .case()
          .when(
            eb.and([
              eb('bounces.address', '=', address),
              eb.or([
                eb('bounces.count', '>=', bouncesUntilPause),
                eb('bounces.last_at', '>', now - countedMs),
              ]),
            ]),
          )
          .then(eb('bounces.count', '+', 1))
          .else(1)
          .end(),
      })),
    )
    .execute();
}

export function pausedAccounts(db: Kysely<Tables>) {
  return db
    .selectFrom('bounces')
    .innerJoin('users', join =>
      join.onRef('users.id', '=', 'bounces.user_id').onRef('users.email', '=', 'bounces.address'),
    )
    .select(['users.id', 'display_username', 'bounces.reason', 'bounces.last_at'])
    .where('bounces.count', '>=', bouncesUntilPause);
}

export async function pauseOf(db: Kysely<Tables>, userId: string): Promise<string | undefined> {
  const row = await pausedAccounts(db).where('users.id', '=', userId).executeTakeFirst();
  return row?.reason;
}

/** Resumes mails to an account: its owner has proved that mails arrive. */
export async function forgetBounces(db: Kysely<Tables>, userId: string): Promise<void> {
  await db.deleteFrom('bounces').where('user_id', '=', userId).execute();
}

const signatureOf = (secret: string, { id, email }: Account) =>
  hexOf(sign(secret, 'bounce', `${id} ${email}`), signatureCharacters);
