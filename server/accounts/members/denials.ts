import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import { digestOf } from '../../base/secrets.ts';
import { dialectOf } from '../../db/dialect.ts';
import type { Tables } from '../../db/tables.ts';
import { mailboxOf } from '../../mail/mailbox.ts';

type Account = { id: string; email: string };

/** Digest of the normalised address; kept after the account is deleted; not reversible. */
function digestOfAddress(email: string): string {
  return digestOf(`denied ${mailboxOf(email)}`);
}

/** A condition for the denials of an account and of its address. */
const isOf =
  ({ id, email }: Account) =>
  (eb: ExpressionBuilder<Tables, 'denials'>) =>
    eb.or([eb('user_id', '=', id), eb('digest', '=', digestOfAddress(email))]);

/**
 * Records that an account was denied, even after its deletion, so that admins are told when the address signs
 * up again.
 */
export async function rememberDenial(trx: Kysely<Tables>, account: Account, deniedAt: number): Promise<void> {
  const row = { user_id: account.id, denied_at: deniedAt };
  await trx
    .insertInto('denials')
    .values({ ...row, digest: digestOfAddress(account.email) })
    .onConflict(conflict => conflict.column('digest').doUpdateSet(row))
    .execute();
}

/** Deletes the denials of an account and its address: its approval is a new decision. */
export async function forgetDenials(trx: Kysely<Tables>, account: Account): Promise<void> {
  await trx.deleteFrom('denials').where(isOf(account)).execute();
}

/** The stored denials of an account and its address, for {@link restoreDenials}. */
export async function deniedAddressesOf(trx: Kysely<Tables>, account: Account) {
  return await trx.selectFrom('denials').selectAll().where(isOf(account)).execute();
}

export async function restoreDenials(
  trx: Kysely<Tables>,
  denials: Awaited<ReturnType<typeof deniedAddressesOf>>,
): Promise<void> {
  if (denials.length === 0) return;
  await trx
    .insertInto('denials')
    .values(denials)
    .onConflict(conflict => conflict.doNothing())
    .execute();
}

/** When the addresses of accounts were last denied, by account id; no entry for those that never were. */
export async function denialsOf(
  db: Kysely<Tables>,
  accounts: readonly Account[],
): Promise<Map<string, number>> {
  const digests = new Map(accounts.map(account => [account.id, digestOfAddress(account.email)]));
  const rows = await db
    .selectFrom('denials')
    .select(['digest', 'denied_at'])
    .where(dialectOf(db).inList(sql.ref('digest'), [...new Set(digests.values())]))
    .execute();
  const dates = new Map(rows.map(row => [row.digest, row.denied_at]));
  return new Map(
    [...digests].flatMap(([id, digest]) => {
      const deniedAt = dates.get(digest);
      return deniedAt === undefined ? [] : [[id, deniedAt]];
    }),
  );
}
