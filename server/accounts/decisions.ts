import type { Kysely } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import type { Clock } from '../clock.ts';
import { dialectOf } from '../db/dialect.ts';
import type { MemberStatus, Tables } from '../db/tables.ts';
import { inTransaction, type WriteContext } from '../db/transaction.ts';
import { differenceOfTags, recordHistory } from '../history/write.ts';
import { queueMail } from '../mail/write.ts';
import { endAccess, revokeAccessTokens } from './access-token.ts';
import { forgetDenials, rememberDenial } from './denials.ts';
import { forgetBefore, rememberBefore, takeBefore } from './undo.ts';

type DecisionContext = WriteContext & { clock: Clock };

type Decision = {
  /** The status that whoever decides has seen: another one by now throws aborted. */
  seenStatus?: MemberStatus | undefined;
};
type Approval = Decision & { tagIds?: readonly string[] | undefined };

/**
 * Approves an account, also one that was denied before; with exactly these tags, where any list is given, in the same
 * transaction. Throws not-found; aborted when somebody else has decided since `seenStatus`. Safe to repeat: the date is
 * that of the decision that made the difference.
 */
export async function approveUser(
  context: DecisionContext,
  userId: string,
  approval: Approval = {},
): Promise<void> {
  await inTransaction(context, trx => approveIn(trx, context, userId, approval));
}

/**
 * Denies an account, pending or approved before. It keeps its row and has a visitor's rights from now on; its sessions
 * and tokens end (decisions.md 9). Throws not-found; failed-precondition for an admin; aborted as `approveUser` does.
 */
export async function denyUser(
  context: DecisionContext,
  userId: string,
  decision: Decision = {},
): Promise<void> {
  await inTransaction(context, trx => denyIn(trx, context, userId, decision));
}

export type DecisionAbout = Approval & { userId: string; decision: 'approve' | 'deny' };

/**
 * Decides about many accounts in one transaction: a lost connection leaves all of it done or nothing. What one of them
 * refuses leaves that one as it is, and the others are decided. Returns why, by the ids of those that were refused.
 */
export async function decideUsers(
  context: DecisionContext,
  decisions: readonly DecisionAbout[],
): Promise<ReadonlyMap<string, string>> {
  // In one order, so that no two who decide about many wait in a circle.
  const inOrder = decisions.toSorted((a, b) => (a.userId < b.userId ? -1 : 1));
  return await inTransaction(context, async trx => {
    const refused = new Map<string, string>();
    for (const { userId, decision, ...rest } of inOrder) {
      try {
        await (decision === 'approve' ? approveIn : denyIn)(trx, context, userId, rest);
      } catch (error) {
        // A decision refuses before it writes, so nothing of it is left.
        if (!(error instanceof AppError)) throw error;
        refused.set(userId, error.message);
      }
    }
    return refused;
  });
}

async function approveIn(
  trx: Kysely<Tables>,
  context: DecisionContext,
  userId: string,
  { tagIds, seenStatus }: Approval,
): Promise<void> {
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
    await rememberBefore(trx, userId, approvedAt);
    await trx
      .updateTable('users')
      .set({ status: 'approved', approved_at: approvedAt, introduction: null })
      .where('id', '=', userId)
      .execute();
    await forgetDenials(trx, user);
    await queueMail(trx, approvedAt, { kind: 'approved', userId });
  } else await forgetBefore(trx, userId);
  if (tagIds !== undefined) await replaceApprovedTags(trx, userId, current, tagIds);
}

async function denyIn(
  trx: Kysely<Tables>,
  context: DecisionContext,
  userId: string,
  { seenStatus }: Decision,
): Promise<void> {
  const user = await lockUser(trx, userId);
  if (user.status === 'denied') return;
  if (user.is_admin) throw new AppError('failed-precondition', 'An admin cannot be denied.');
  refuseUnseen(user, seenStatus);
  const deniedAt = decisionTime(context.clock, user);
  await rememberBefore(trx, userId, deniedAt);
  await trx
    .updateTable('users')
    .set({ status: 'denied', denied_at: deniedAt, introduction: null, is_author: false })
    .where('id', '=', userId)
    .execute();
  await rememberDenial(trx, user, deniedAt);
  await endAccess(trx, userId);
  await recordHistory(trx, context, {
    kind: 'user-denied',
    user: accountOfRow(user),
    before: user.status,
  });
}

/**
 * Takes back the last decision about an account, within a day: it has again the status, tags and dates that it had. What a
 * decision has ended stays ended, such as sessions; what an approval has made possible meanwhile, such as access tokens,
 * ends. Throws not-found; aborted as `approveUser` does; failed-precondition where there is nothing to take back.
 */
export async function undoDecision(
  context: DecisionContext,
  userId: string,
  { seenStatus }: Decision = {},
): Promise<void> {
  await inTransaction(context, async trx => {
    const user = await lockUser(trx, userId);
    refuseUnseen(user, seenStatus);
    const before = await takeBefore(trx, userId, context.clock());
    if (before.status === 'denied') await endAccess(trx, userId);
    else if (before.status === 'pending') await revokeAccessTokens(trx, userId);
    await recordHistory(trx, context, {
      kind: 'decision-undone',
      user: accountOfRow(user),
      before: user.status,
      after: before.status,
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
    await forgetBefore(trx, userId);
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
      .set({ introduction: null, is_author: false })
      .where('id', '=', userId)
      .execute();
    await forgetBefore(trx, userId);
    await forgetDenials(trx, user);
    await recordHistory(trx, context, {
      kind: 'role-changed',
      user: accountOfRow(user),
      before: user.status === 'approved' ? roleOf(user) : user.status,
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
    await trx
      .updateTable('users')
      .set({ is_admin: isAdmin, is_author: false })
      .where('id', '=', userId)
      .execute();
    await forgetBefore(trx, userId);
    await recordHistory(trx, context, {
      kind: 'role-changed',
      user: accountOfRow(user),
      before: roleOf(user),
      after: isAdmin ? 'admin' : 'member',
    });
  });
}

/**
 * Makes an approved member an author, or an author a member again, who keeps their posts and changes them no more. Throws
 * not-found; failed-precondition for an account that is not approved, and for an admin, who writes already.
 */
export async function setAuthor(context: DecisionContext, userId: string, isAuthor: boolean): Promise<void> {
  await inTransaction(context, async trx => {
    const user = await lockUser(trx, userId);
    if (Boolean(user.is_author) === isAuthor) return;
    if (user.is_admin) throw new AppError('failed-precondition', 'An admin can write already.');
    if (user.status !== 'approved') {
      throw new AppError('failed-precondition', 'Only an approved user can become an author.');
    }
    await trx.updateTable('users').set({ is_author: isAuthor }).where('id', '=', userId).execute();
    await forgetBefore(trx, userId);
    await recordHistory(trx, context, {
      kind: 'role-changed',
      user: accountOfRow(user),
      before: roleOf(user),
      after: isAuthor ? 'author' : 'member',
    });
  });
}

/** The role of an approved account, as the history of rights names it. */
function roleOf({ is_admin, is_author }: Pick<LockedUser, 'is_admin' | 'is_author'>): string {
  return is_admin ? 'admin' : is_author ? 'author' : 'member';
}

async function lockUser(trx: Kysely<Tables>, userId: string) {
  const user = await dialectOf(trx)
    .forUpdate(
      trx
        .selectFrom('users')
        .select([
          'id',
          'email',
          'display_username',
          'status',
          'is_admin',
          'is_author',
          'approved_at',
          'denied_at',
        ])
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
