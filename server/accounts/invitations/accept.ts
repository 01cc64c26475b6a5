import type { Kysely } from 'kysely';
import { moment } from '../../../contract/date.ts';
import { AppError } from '../../../contract/errors.ts';
import type { Named } from '../../../contract/history.ts';
import type { Output } from '../../../contract/operations.ts';
import type { Invocation } from '../../access/context.ts';
import { lockAccount } from '../../access/hold-rights.ts';
import { accountOf } from '../../access/viewer.ts';
import { digestOf } from '../../base/secrets.ts';
import type { Tables, UserRow } from '../../db/tables.ts';
import { inTransaction } from '../../db/transaction.ts';
import { forgetBounces } from '../../mail/bounces.ts';
import { tagsIn } from '../members/approved-tags.ts';
import { decisionTime } from '../members/decide.ts';
import { forgetDenials } from '../members/denials.ts';
import { clearUndo } from '../members/undo.ts';
import { requireNewAccounts } from '../sign-in/sign-up-limits.ts';
import { accountAt, isUnclaimed } from '../sign-in/unclaimed.ts';
import { isDenied, lockOpenInvitation, recordUse, tagsOf } from './join.ts';
import type { OpenInvitation } from './read.ts';

type Use = NonNullable<Output<'getInvitation'>['invitation']>['use'];
type Account = Pick<UserRow, 'id' | 'email' | 'status' | 'is_admin'>;

/** What the holder of a link can do with its invitation. */
export async function offerOf({ db, viewer }: Invocation, invitation: OpenInvitation): Promise<Use> {
  if (viewer.user === null) return await offerToVisitor(db, invitation);
  const account = await db
    .selectFrom('users')
    .select(['id', 'email', 'status', 'is_admin'])
    .where('id', '=', viewer.user.id)
    .executeTakeFirst();
  return account === undefined ? 'join' : (await gainOf(db, invitation, account)).use;
}

/** A new account, unless the address has one: its owner logs in to it first. */
async function offerToVisitor(db: Kysely<Tables>, { email, isProven }: OpenInvitation): Promise<Use> {
  if (email === null) return 'join';
  const account = await accountAt(db, email).executeTakeFirst();
  return account === undefined || (isProven && isUnclaimed(account)) ? 'join' : 'log-in';
}

/** Whether an account may use an invitation, and the tags that it would get. */
async function gainOf(
  db: Kysely<Tables>,
  invitation: OpenInvitation,
  account: Account,
): Promise<{ use: Exclude<Use, 'join' | 'log-in'>; tags: Named[] }> {
  if (invitation.email !== null && invitation.email !== account.email)
    return { use: 'other-address', tags: [] };
  if (account.status === 'denied' || (await isDenied(db, invitation, account)))
    return { use: 'refused', tags: [] };
  // A tag that an admin has taken away is not given back: a link may be older than that, or for everybody.
  const known = [
    ...(await tagsIn(db, 'approved_tags', account.id)),
    ...(await tagsIn(db, 'withheld_tags', account.id)),
  ];
  const tags = (await tagsOf(db, invitation)).filter(({ id }) => !known.includes(id));
  const gains = account.status === 'pending' || (tags.length > 0 && !account.is_admin);
  return { use: gains ? 'own-account' : 'nothing', tags };
}

/**
 * Uses an invitation for the account that is signed in: approves it and gives it the tags, as a join does, in
 * one transaction that locks both. A mailed link also confirms the address. Nothing is used up where the
 * account would gain nothing. Throws failed-precondition if the invitation is no longer open, is for another
 * address, or the account was denied.
 */
export async function acceptInvitation(deps: Invocation, token: string): Promise<void> {
  const user = accountOf(deps.viewer);
  // A member is no new account.
  if (user.status !== 'approved') await requireNewAccounts(deps);
  await inTransaction(deps, async trx => {
    const invitation = await lockOpenInvitation(trx, deps, digestOf(token));
    const account = await lockAccount(trx, user.id);
    if (account === undefined) throw new AppError('unauthenticated', 'Please log in first.');
    const { use, tags } = await gainOf(trx, invitation, account);
    if (use === 'other-address')
      throw new AppError('failed-precondition', 'This invitation is for another email address.');
    if (use === 'refused')
      throw new AppError('failed-precondition', 'Your account cannot use this invitation.');
    if (use === 'nothing') return;
    await clearUndo(trx, account.id);
    if (account.status === 'pending') await approve(trx, deps, account);
    if (invitation.isProven && !account.email_verified) await confirmAddress(trx, deps, account);
    const wasApproved = account.status === 'approved';
    await recordUse(trx, deps, invitation, { userId: account.id, status: 'approved', tags, wasApproved });
  });
}

async function approve(trx: Kysely<Tables>, { clock }: Invocation, account: UserRow): Promise<void> {
  await trx
    .updateTable('users')
    .set({ status: 'approved', approved_at: decisionTime(clock, account), introduction: null })
    .where('id', '=', account.id)
    .execute();
  await forgetDenials(trx, account);
}

/** The link was mailed to the address of the account. */
async function confirmAddress(trx: Kysely<Tables>, { clock }: Invocation, { id }: UserRow): Promise<void> {
  await trx
    .updateTable('users')
    .set({ email_verified: true, updated_at: moment(clock()) })
    .where('id', '=', id)
    .execute();
  await forgetBounces(trx, id);
}
