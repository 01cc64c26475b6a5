import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import type { UserStatus } from '../../../contract/accounts/status.ts';
import { AppError } from '../../../contract/errors.ts';
import { lockAccount } from '../../access/hold-rights.ts';
import type { Clock } from '../../base/clock.ts';
import { areSameTags, versionOfTags } from '../../base/version.ts';
import { dialectOf } from '../../db/dialect.ts';
import { isOver } from '../../db/lease.ts';
import { isOutage } from '../../db/outage.ts';
import type { Tables, UserRow } from '../../db/tables.ts';
import { inTransaction, type WriteContext } from '../../db/transaction.ts';
import { differenceOfTags, recordHistory } from '../../history/write.ts';
import { attemptsFor, leaseMs } from '../../mail/queue.ts';
import { queueMail } from '../../mail/write.ts';
import { endAccess, revokeSecrets } from '../sessions/end-access.ts';
import { replaceApprovedTags, replaceTagOfMany, tagsIn } from './approved-tags.ts';
import { forgetDenials, rememberDenial } from './denials.ts';
import { applyUndo, clearUndo, saveUndo } from './undo.ts';

type Decision = {
  /** The version the admin saw; aborted if it has changed. */
  version?: string | undefined;
};

type Approval = Decision & { tagIds?: readonly string[] | undefined };

/**
 * Approves an account, even one that was denied; with exactly these tags if a list is given, in the same
 * transaction. Throws not-found; aborted if somebody has decided or changed the tags since `version`. Safe to
 * repeat: the date stays that of the first approval.
 */
export async function approveUser(
  context: WriteContext,
  userId: string,
  approval: Approval = {},
): Promise<void> {
  await inTransaction(context, trx => approveIn(trx, context, userId, approval));
}

/**
 * Denies a pending or approved account. It keeps its row and has a visitor's rights from now on; its sessions
 * and tokens end (decision 9). Throws not-found; failed-precondition for an admin; aborted as
 * `approveUser` does.
 */
export async function denyUser(
  context: WriteContext,
  userId: string,
  decision: Decision = {},
): Promise<void> {
  await inTransaction(context, trx => denyIn(trx, context, userId, decision));
}

export type DecisionAbout = Approval & { userId: string; decision: 'approve' | 'deny' };

/**
 * Decides about many accounts in one transaction, so a lost connection leaves all or nothing done. A refused
 * decision leaves its account as it is and does not stop the others. Returns the reasons by account id.
 */
export async function decideUsers(
  context: WriteContext,
  decisions: readonly DecisionAbout[],
): Promise<ReadonlyMap<string, string>> {
  // In one order, so that two admins deciding about the same accounts cannot deadlock.
  const inOrder = decisions.toSorted((a, b) => (a.userId < b.userId ? -1 : 1));
  return await inTransaction(context, async trx => {
    const refused = new Map<string, string>();
    for (const { userId, decision, ...rest } of inOrder) {
      try {
        await (decision === 'approve' ? approveIn : denyIn)(trx, context, userId, rest);
      } catch (error) {
        // A refused decision has written nothing yet.
        if (!(error instanceof AppError) || isOutage(error)) throw error;
        refused.set(userId, error.message);
      }
    }
    return refused;
  });
}

async function approveIn(
  trx: Kysely<Tables>,
  context: WriteContext,
  userId: string,
  { tagIds, version }: Approval,
): Promise<void> {
  const user = await lockUser(trx, userId);
  const current = await tagsIn(trx, 'approved_tags', userId);
  const isSame = tagIds === undefined || areSameTags(current, tagIds);
  if (user.status === 'approved' && isSame) return;
  refuseUnseen(user, current, version);
  const isNew = user.status !== 'approved';
  await recordHistory(trx, context, {
    kind: isNew ? 'user-approved' : 'tags-changed',
    user: user.id,
    ...(isNew && { before: user.status }),
    // Tags that an account was given before have no effect until it is approved.
    ...(await differenceOfTags(trx, isNew ? [] : current, tagIds ?? current)),
  });
  if (isNew) {
    const approvedAt = decisionTime(context.clock, user);
    await saveUndo(trx, user, approvedAt);
    await trx
      .updateTable('users')
      .set({ status: 'approved', approved_at: approvedAt, introduction: null })
      .where('id', '=', userId)
      .execute();
    await forgetDenials(trx, user);
    await queueMail(trx, approvedAt, { kind: 'approved', userId, data: { isAuthor: false } });
  } else await clearUndo(trx, userId);
  if (tagIds !== undefined) await replaceApprovedTags(trx, userId, current, tagIds);
}

async function denyIn(
  trx: Kysely<Tables>,
  context: WriteContext,
  userId: string,
  { version }: Decision,
): Promise<void> {
  const user = await lockUser(trx, userId);
  if (user.status === 'denied') return;
  if (user.is_admin) throw new AppError('failed-precondition', 'An admin cannot be denied.');
  refuseUnseen(user, await tagsIn(trx, 'approved_tags', userId), version);
  const deniedAt = decisionTime(context.clock, user);
  await saveUndo(trx, user, deniedAt);
  await trx
    .updateTable('users')
    .set({ status: 'denied', denied_at: deniedAt, introduction: null, is_author: false })
    .where('id', '=', userId)
    .execute();
  await rememberDenial(trx, user, deniedAt);
  await endAccess(trx, context, userId);
  await recordHistory(trx, context, {
    kind: 'user-denied',
    user: user.id,
    before: user.status,
  });
}

/**
 * Undoes the last decision about an account within a day: restores status, tags and dates. Ended sessions
 * stay ended, and what an approval allowed meanwhile ends: access tokens, the feed, the address for posts.
 * Returns whether a mail has told the member of the approval.
 * Throws not-found; aborted as `approveUser` does; failed-precondition if there is nothing to undo.
 */
export async function undoDecision(
  context: WriteContext,
  userId: string,
  { version }: Decision,
): Promise<{ wasMailed: boolean }> {
  return await inTransaction(context, async trx => {
    const user = await lockUser(trx, userId);
    refuseUnseen(user, await tagsIn(trx, 'approved_tags', userId), version);
    const before = await applyUndo(trx, userId, context.clock());
    if (before.status === 'denied') await endAccess(trx, context, userId);
    else if (before.status === 'pending') await revokeSecrets(trx, userId);
    await recordHistory(trx, context, {
      kind: 'decision-undone',
      user: user.id,
      before: user.status,
      after: before.status,
    });
    const wasMailed = user.status === 'approved' && (await withdrawWelcome(trx, context.clock(), user));
    return { wasMailed };
  });
}

/** Deletes the mail about an approval unless it is being sent. Returns whether one may have arrived. */
async function withdrawWelcome(
  trx: Kysely<Tables>,
  now: number,
  { id, approved_at }: UserRow,
): Promise<boolean> {
  const isWelcome = (eb: ExpressionBuilder<Tables, 'mails'>) =>
    eb.and([eb('kind', '=', 'approved'), eb('user_id', '=', id), eb('created_at', '>=', approved_at ?? 0)]);
  const withdrawn = await trx
    .deleteFrom('mails')
    .where(isWelcome)
    .where('state', '=', 'queued')
    .where(isOver('leased_until', { now, ms: leaseMs }))
    .returning('attempts')
    .execute();
  // A mail that was sent completely and not answered has that many attempts, unlike one refused for now.
  const told = await trx
    .selectFrom('mails')
    .select('id')
    .where(isWelcome)
    .where(eb => eb.or([eb('state', 'in', ['queued', 'sent']), eb('attempts', '>=', attemptsFor.unanswered)]))
    .executeTakeFirst();
  return told !== undefined || withdrawn.some(({ attempts }) => attempts >= attemptsFor.unanswered);
}

/**
 * Sets the tags of an account besides the default ones; they take effect while it is approved. `tellsMember`
 * mails a subscriber the posts that the new tags open. Throws not-found; aborted as `approveUser` does.
 */
export async function setApprovedTags(
  context: WriteContext,
  userId: string,
  tagIds: readonly string[],
  { version, tellsMember = false }: Decision & { tellsMember?: boolean | undefined } = {},
): Promise<void> {
  await inTransaction(context, async trx => {
    const user = await lockUser(trx, userId);
    const current = await tagsIn(trx, 'approved_tags', userId);
    if (areSameTags(current, tagIds)) return;
    refuseUnseen(user, current, version);
    await changeTags(trx, context, user, { current, tagIds });
    const added = tagIds.filter(id => !current.includes(id));
    if (tellsMember && added.length > 0) {
      const now = context.clock();
      await queueMail(trx, now, { kind: 'opened', userId, data: { tagIds: added, since: now } });
    }
  });
}

/** Gives an account these tags in addition to its own, within a transaction. */
export async function addApprovedTags(
  trx: Kysely<Tables>,
  context: WriteContext,
  userId: string,
  added: readonly string[],
): Promise<void> {
  const user = await lockUser(trx, userId);
  const current = await tagsIn(trx, 'approved_tags', userId);
  const tagIds = [...new Set([...current, ...added])];
  if (!areSameTags(current, tagIds)) await changeTags(trx, context, user, { current, tagIds });
}

/**
 * Gives accounts one tag in place of another, within a transaction that has locked them. All of them must
 * have the first.
 */
export async function replaceApprovedTag(
  trx: Kysely<Tables>,
  context: WriteContext,
  userIds: readonly string[],
  { tagId, intoId }: { tagId: string; intoId: string },
): Promise<void> {
  const among = dialectOf(trx).inList(sql.ref('user_id'), userIds);
  await trx.deleteFrom('undoable_decisions').where(among).execute();
  const had = await replaceTagOfMany(trx, userIds, { tagId, intoId });
  const given = await differenceOfTags(trx, [tagId], [intoId]);
  await recordHistory(
    trx,
    context,
    ...userIds.map(user => ({
      kind: 'tags-changed' as const,
      user,
      gave: had.has(user) ? [] : given.gave,
      took: given.took,
    })),
  );
}

async function changeTags(
  trx: Kysely<Tables>,
  context: WriteContext,
  user: UserRow,
  { current, tagIds }: { current: readonly string[]; tagIds: readonly string[] },
): Promise<void> {
  await clearUndo(trx, user.id);
  await replaceApprovedTags(trx, user.id, current, tagIds);
  await recordHistory(trx, context, {
    kind: 'tags-changed',
    user: user.id,
    ...(await differenceOfTags(trx, current, tagIds)),
  });
}

/** The version of an account with its approved tags: the state that an admin sees before a decision. */
export const versionOfUser = (status: UserStatus, tagIds: readonly string[]) =>
  `${status}.${versionOfTags(tagIds)}`;

function refuseUnseen(user: UserRow, tagIds: readonly string[], version: string | undefined): void {
  if (version === undefined || version === versionOfUser(user.status, tagIds)) return;
  const { status, display_username: name } = user;
  const decided = status === 'pending' ? `undone the decision about ${name}` : `${status} ${name}`;
  const what = version.startsWith(`${status}.`) ? `changed the tags of ${name}` : decided;
  throw new AppError('aborted', `Somebody else has ${what} in the meantime.`);
}

/** Locks an account against other decisions until the transaction ends. Throws not-found. */
export async function lockUser(trx: Kysely<Tables>, userId: string): Promise<UserRow> {
  const user = await lockAccount(trx, userId);
  if (user === undefined) throw new AppError('not-found', 'User not found.');
  return user;
}

/**
 * Read after the row is locked, and never before the last decision: the later of the two dates is the status.
 */
export function decisionTime(clock: Clock, user: UserRow): number {
  return Math.max(clock(), user.approved_at ?? 0, user.denied_at ?? 0);
}
