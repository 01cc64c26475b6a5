import type { Transaction } from 'kysely';
import { AppError } from '../../../contract/errors.ts';
import { lockAdmins } from '../../access/hold-rights.ts';
import type { Tables, UserRow } from '../../db/tables.ts';
import { inTransaction, type WriteContext } from '../../db/transaction.ts';
import { recordHistory } from '../../history/write.ts';
import { queueMail } from '../../mail/write.ts';
import { endInvitations, endPostAddress } from '../sessions/end-access.ts';
import { decisionTime, lockUser } from './decide.ts';
import { forgetDenials } from './denials.ts';
import { clearUndo } from './undo.ts';

/** Makes an account an approved admin. Throws not-found. */
export async function makeAdmin(context: WriteContext, userId: string): Promise<void> {
  await inTransaction(context, trx => makeAdminIn(trx, context, userId));
}

/** Like {@link makeAdmin}, within a transaction. */
export async function makeAdminIn(
  trx: Transaction<Tables>,
  context: WriteContext,
  userId: string,
): Promise<void> {
  const user = await lockUser(trx, userId);
  if (user.is_admin) return;
  await trx
    .updateTable('users')
    .set({ status: 'approved', approved_at: decisionTime(context.clock, user), introduction: null })
    .where('id', '=', userId)
    .execute();
  await forgetDenials(trx, user);
  await setRole(trx, context, user, { is_admin: true, is_author: false });
}

/**
 * Makes an approved member an admin, or an admin a member again. Throws not-found; failed-precondition for an
 * account that is not approved, and for the last admin (decision 9).
 */
export async function setAdmin(context: WriteContext, userId: string, isAdmin: boolean): Promise<void> {
  await inTransaction(context, async trx => {
    const admins = await lockAdmins(trx);
    const user = await lockUser(trx, userId);
    if (Boolean(user.is_admin) === isAdmin) return;
    if (user.status !== 'approved') {
      throw new AppError('failed-precondition', 'Only an approved user can become an admin.');
    }
    if (!isAdmin && admins.length === 1) {
      throw new AppError('failed-precondition', 'The last admin cannot be removed.');
    }
    // Also for making one: otherwise a stranger at an open browser could make themselves an admin for good.
    await context.requireRecentSignIn(trx);
    await setRole(trx, context, user, { is_admin: isAdmin, is_author: false });
    // Otherwise they would work again if the account became an admin again.
    if (!isAdmin) await endInvitations(trx, context, userId);
  });
}

/**
 * Makes an approved member an author, or an author a member. A former author keeps their posts but cannot
 * change them. Throws not-found; failed-precondition for an account that is not approved, or an admin, who
 * may write anyway.
 */
export async function setAuthor(context: WriteContext, userId: string, isAuthor: boolean): Promise<void> {
  await inTransaction(context, async trx => {
    const user = await lockUser(trx, userId);
    if (Boolean(user.is_author) === isAuthor) return;
    if (user.is_admin) throw new AppError('failed-precondition', 'An admin can write already.');
    if (user.status !== 'approved') {
      throw new AppError('failed-precondition', 'Only an approved user can become an author.');
    }
    await context.requireRecentSignIn(trx);
    await setRole(trx, context, user, { is_admin: false, is_author: isAuthor });
    if (isAuthor)
      await queueMail(trx, context.clock(), { kind: 'approved', userId, data: { isAuthor: true } });
  });
}

type Role = { is_admin: boolean; is_author: boolean };

/**
 * Gives an account a role, in the transaction that has locked it. Earlier decisions about it can then no
 * longer be undone.
 */
async function setRole(
  trx: Transaction<Tables>,
  context: WriteContext,
  user: UserRow,
  role: Role,
): Promise<void> {
  await trx.updateTable('users').set(role).where('id', '=', user.id).execute();
  await clearUndo(trx, user.id);
  // One from an earlier time as an author would work again.
  if (!user.is_admin && !user.is_author) await endPostAddress(trx, user.id);
  await recordHistory(trx, context, {
    kind: 'role-changed',
    user: user.id,
    before: user.status === 'approved' ? roleOf(user) : user.status,
    after: roleOf(role),
  });
}

/** The role of an approved account, as the history of rights names it. */
function roleOf({ is_admin, is_author }: Pick<UserRow, 'is_admin' | 'is_author'>): string {
  return is_admin ? 'admin' : is_author ? 'author' : 'member';
}
