import type { Kysely } from 'kysely';
import { moment } from '../../contract/date.ts';
import { AppError } from '../../contract/errors.ts';
import type { postAddressOperations } from '../../contract/post-address.ts';
import type { Handlers } from '../access/context.ts';
import { accountOf } from '../access/viewer.ts';
import { digestOf, newToken } from '../base/secrets.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';
import { type DbContext, inTransaction } from '../db/transaction.ts';
import { hexOf, withKey } from './reply-address.ts';

/** Whose mails to an address become posts, and whether they are published at once. */
export type PostAddress = { userId: string; publishes: boolean; digest: string };

/** The length of the secret in an address, at 4 bits per character, as in reply addresses. */
const keyCharacters = 32;

export const postAddressHandlers: Handlers<typeof postAddressOperations> = {
  getPostAddress: async ({ db, config, viewer }) => {
    const row = await db
      .selectFrom('post_addresses')
      .select(['created_at', 'publishes'])
      .where('user_id', '=', accountOf(viewer).id)
      .executeTakeFirst();
    const address = row && { createdAt: moment(row.created_at), publishes: Boolean(row.publishes) };
    return { address: address ?? null, isOffered: config.mailReplyAddress !== undefined };
  },
  makePostAddress: async (deps, { publishes }) => {
    const { mailReplyAddress } = deps.config;
    if (mailReplyAddress === undefined) throw new AppError('failed-precondition', 'This site takes no mail.');
    const key = hexOf(newToken(), keyCharacters);
    const row = { digest: digestOf(key), created_at: deps.clock(), publishes };
    await inTransaction(deps, async trx => {
      await deps.requireRecentSignIn(trx);
      // `holdRights` locks the account: code that ends its access runs before, or ends this address.
      await trx
        .insertInto('post_addresses')
        .values({ user_id: accountOf(deps.viewer).id, ...row })
        .onConflict(conflict => conflict.column('user_id').doUpdateSet(row))
        .execute();
    });
    const address = { createdAt: moment(row.created_at), publishes };
    return { address, email: withKey(mailReplyAddress, key) };
  },
  endPostAddress: async deps => {
    await inTransaction(deps, async trx => {
      await trx.deleteFrom('post_addresses').where('user_id', '=', accountOf(deps.viewer).id).execute();
    });
    return { address: null, isOffered: deps.config.mailReplyAddress !== undefined };
  },
};

/** The address with this key; undefined for an unknown key. */
export async function findPostAddress(
  { db }: Pick<DbContext, 'db'>,
  key: string,
): Promise<PostAddress | undefined> {
  const row = await db
    .selectFrom('post_addresses')
    .select(['user_id', 'publishes', 'digest'])
    .where('digest', '=', digestOf(key))
    .executeTakeFirst();
  return row && { userId: row.user_id, publishes: Boolean(row.publishes), digest: row.digest };
}

/**
 * Checks within a transaction that an address for posts has not ended, and locks it until the transaction
 * ends. Choosing again what mails become makes another address. Throws failed-precondition.
 */
export async function holdPostAddress(trx: Kysely<Tables>, { digest }: PostAddress): Promise<void> {
  const row = trx.selectFrom('post_addresses').select('user_id').where('digest', '=', digest);
  if ((await dialectOf(trx).shared(row).executeTakeFirst()) === undefined)
    throw new AppError('failed-precondition', 'The address to which you sent your email has ended.');
}
