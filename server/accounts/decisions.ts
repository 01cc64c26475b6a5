import type { Kysely } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import type { Clock } from '../clock.ts';
import { dialectOf } from '../db/dialect.ts';
import type { MemberStatus, Tables } from '../db/tables.ts';
import { inTransaction, type WriteContext } from '../db/transaction.ts';
import { differenceOfTags, recordHistory } from '../history/write.ts';
import { queueMail } from '../mail/write.ts';
import { endAccess } from './access-token.ts';
import { forgetDenials, rememberDenial } from './denials.ts';

type DecisionContext = WriteContext & { clock: Clock };

type Decision = {
  /** The status that whoever decides has seen: another one by now throws aborted. */
  seenStatus?: MemberStatus | undefined;
};

/**
 * Approves an account, also one that was denied before; with exactly these tags, where any list is given, in the same
 * transaction. Throws not-found; aborted when somebody else has decided since `seenStatus`. Safe to repeat: the date is
 * that of the decision that made the difference.
 */
export async function approveUser(
  context: DecisionContext,
  userId: string,
  { tagIds, seenStatus }: Decision & { tagIds?: readonly string[] | undefined } = {},
): Promise<void> {
  await inTransaction(context, async trx => {
    const user = await lockUser(trx, userId);
    const current = await approvedTagsOf(trx, userId);
    const isSame = tagIds === undefined || isSameSet(current, tagIds);
    if (user.status === 'approved' && isSame) return;
    refuseUnseen(user, seenStatus);
    const isNew = user.status !== 'approved';
    await recordHistory(trx, context, {
      kind: isNew ? 'user-approved' : 'tags-changed',
      user: accountOfRow(user),
      ...(isNew && { before: user.status }),
      // Tags that an account has been allowed before give it nothing until it is approved.
      ...(await differenceOfTags(trx, isNew ? [] : current, tagIds ?? current)),
    });
    if (isNew) {
      const approvedAt = decisionTime(context.clock, user);
      await trx
        .updateTable('users')
        .set({ status: 'approved', approved_at: approvedAt })
        .where('id', '=', userId)
        .execute();
      await forgetDenials(trx, user);
      await queueMail(trx, approvedAt, { kind: 'approved', userId });
    }
    if (tagIds !== undefined) await replaceApprovedTags(trx, userId, current, tagIds);
  });
}

/**
 * Denies an account, pending or approved before. It keeps its row and has a visitor's rights from now on; its sessions
 * and tokens end (decisions.md 9). Throws not-found; failed-precondition for an admin; aborted as `approveUser` does.
 */
export async function denyUser(
  context: DecisionContext,
  userId: string,
  { seenStatus }: Decision = {},
): Promise<void> {
  await inTransaction(context, async trx => {
    const user = await lockUser(trx, userId);
    if (user.status === 'denied') return;
    if (user.is_admin) throw new AppError('failed-precondition', 'An admin cannot be denied.');
    refuseUnseen(user, seenStatus);
    const deniedAt = decisionTime(context.clock, user);
    await trx
      .updateTable('users')
      .set({ status: 'denied', denied_at: deniedAt })
      .where('id', '=', userId)
      .execute();
    await rememberDenial(trx, user, deniedAt);
    await endAccess(trx, userId);
    await recordHistory(trx, context, {
      kind: 'user-denied',
      user: accountOfRow(user),
      before: user.status,
    });
  });
}

/**
 * Allows an account exactly these tags beside the default ones; they take effect while it is approved. Throws
 * not-found; aborted when they are no longer those that were seen.
 */
export async function setApprovedTags(
  context: DecisionContext,
  userId: string,
  tagIds: readonly string[],
  seenTagIds?: readonly string[],
): Promise<void> {
  await inTransaction(context, async trx => {
    const user = await lockUser(trx, userId);
    const current = await approvedTagsOf(trx, userId);
    if (isSameSet(current, tagIds)) return;
    if (seenTagIds !== undefined && !isSameSet(current, seenTagIds)) {
      throw new AppError(
        'aborted',
        `Somebody else has changed the tags of ${user.display_username} in the meantime.`,
      );
    }
    await replaceApprovedTags(trx, userId, current, tagIds);
    await recordHistory(trx, context, {
      kind: 'tags-changed',
      user: accountOfRow(user),
      ...(await differenceOfTags(trx, current, tagIds)),
    });
  });
}

/** Makes an account an approved admin. Throws not-found. */
export async function makeAdmin(context: DecisionContext, userId: string): Promise<void> {
  await inTransaction(context, async trx => {
    const user = await lockUser(trx, userId);
    if (user.is_admin) return;
    await trx
      .updateTable('users')
      .set({ is_admin: true, status: 'approved', approved_at: decisionTime(context.clock, user) })
      .where('id', '=', userId)
      .execute();
    await forgetDenials(trx, user);
    await recordHistory(trx, context, {
      kind: 'role-changed',
      user: accountOfRow(user),
      before: user.status === 'approved' ? 'member' : user.status,
      after: 'admin',
    });
  });
}

/**
 * Makes an approved member an admin, or an admin a member again. Throws not-found; failed-precondition for an account
 * that is not approved, and for the last admin (decisions.md 9).
 */
export async function setAdmin(context: DecisionContext, userId: string, isAdmin: boolean): Promise<void> {
  await inTransaction(context, async trx => {
    // All admins at once and in one order, so that two who remove each other wait for each other.
    const admins = await dialectOf(trx)
      .forUpdate(trx.selectFrom('users').select('id').where('is_admin', '=', true).orderBy('id'))
      .execute();
    const user = await lockUser(trx, userId);
    if (Boolean(user.is_admin) === isAdmin) return;
    if (user.status !== 'approved') {
      throw new AppError('failed-precondition', 'Only an approved user can become an admin.');
    }
    if (!isAdmin && admins.length === 1) {
      throw new AppError('failed-precondition', 'The last admin cannot be removed.');
    }
    if (!isAdmin) await context.requireRecentSignIn?.(trx);
    await trx.updateTable('users').set({ is_admin: isAdmin }).where('id', '=', userId).execute();
    await recordHistory(trx, context, {
      kind: 'role-changed',
      user: accountOfRow(user),
      before: isAdmin ? 'member' : 'admin',
      after: isAdmin ? 'admin' : 'member',
    });
  });
}

async function lockUser(trx: Kysely<Tables>, userId: string) {
  const user = await dialectOf(trx)
    .forUpdate(
      trx
        .selectFrom('users')
        .select(['id', 'email', 'display_username', 'status', 'is_admin', 'approved_at', 'denied_at'])
        .where('id', '=', userId),
    )
    .executeTakeFirst();
  if (user === undefined) throw new AppError('not-found', 'User not found.');
  return user;
}

/** An account as the history of rights names it. */
function accountOfRow({ id, display_username }: { id: string; display_username: string }) {
  return { id, username: display_username };
}

type LockedUser = Awaited<ReturnType<typeof lockUser>>;

function refuseUnseen(user: LockedUser, seenStatus: MemberStatus | undefined): void {
  if (seenStatus === undefined || seenStatus === user.status) return;
  const what = user.status === 'pending' ? 'is pending' : `has been ${user.status}`;
  throw new AppError('aborted', `${user.display_username} ${what} in the meantime by somebody else.`);
}

/** Read once the row is held, and never before the last decision: the later of the two dates is the status. */
function decisionTime(clock: Clock, user: LockedUser): number {
  return Math.max(clock(), user.approved_at ?? 0, user.denied_at ?? 0);
}

async function approvedTagsOf(trx: Kysely<Tables>, userId: string): Promise<string[]> {
  const rows = await trx.selectFrom('approved_tags').select('tag_id').where('user_id', '=', userId).execute();
  return rows.map(row => row.tag_id);
}

/** Remembers what it takes, so that nobody but an admin gives it back. */
async function replaceApprovedTags(
  trx: Kysely<Tables>,
  userId: string,
  current: readonly string[],
  tagIds: readonly string[],
): Promise<void> {
  const rowsOf = (ids: readonly string[]) => [...new Set(ids)].map(tag_id => ({ user_id: userId, tag_id }));
  await trx.deleteFrom('approved_tags').where('user_id', '=', userId).execute();
  const given = rowsOf(tagIds);
  if (given.length > 0) await trx.insertInto('approved_tags').values(given).execute();
  const taken = rowsOf(current.filter(id => !tagIds.includes(id)));
  await trx
    .deleteFrom('withheld_tags')
    .where('user_id', '=', userId)
    .where('tag_id', 'in', eb =>
      eb.selectFrom('approved_tags').select('tag_id').where('user_id', '=', userId),
    )
    .execute();
  if (taken.length === 0) return;
  await trx
    .insertInto('withheld_tags')
    .values(taken)
    .onConflict(conflict => conflict.doNothing())
    .execute();
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  const [a, b] = [new Set(one), new Set(other)];
  return a.size === b.size && [...a].every(id => b.has(id));
}
