import type { Kysely } from 'kysely';
import type { UserStatus } from '../../../contract/accounts/status.ts';
import { AppError } from '../../../contract/errors.ts';
import { dayMs } from '../../base/clock.ts';
import type { Tables, UserRow } from '../../db/tables.ts';
import type { WriteContext } from '../../db/transaction.ts';
import { replaceTags, tagsIn } from './approved-tags.ts';
import { deniedAddressesOf, forgetDenials, restoreDenials } from './denials.ts';

/** How long a decision about an account can be undone. */
const undoMs = dayMs;

/** The state of an account before a decision: everything that a decision changes. */
type Before = {
  status: UserStatus;
  isAuthor: boolean;
  approvedAt: number | null;
  deniedAt: number | null;
  introduction: string | null;
  approvedTags: string[];
  withheldTags: string[];
  denials: Awaited<ReturnType<typeof deniedAddressesOf>>;
};

/**
 * Saves an account's state before a decision changes it, in the transaction that locks the account. From then
 * on this is the only copy of their introduction; it is deleted together with the undo.
 */
export async function saveUndo(trx: Kysely<Tables>, user: UserRow, now: number): Promise<void> {
  const before: Before = {
    status: user.status,
    isAuthor: Boolean(user.is_author),
    approvedAt: user.approved_at,
    deniedAt: user.denied_at,
    introduction: user.introduction,
    approvedTags: await tagsIn(trx, 'approved_tags', user.id),
    withheldTags: await tagsIn(trx, 'withheld_tags', user.id),
    denials: await deniedAddressesOf(trx, user),
  };
  const row = { decided_at: now, before: JSON.stringify(before) };
  await trx
    .insertInto('undoable_decisions')
    .values({ user_id: user.id, ...row })
    .onConflict(conflict => conflict.column('user_id').doUpdateSet(row))
    .execute();
}

/** Deletes the saved state once another decision has followed. */
export async function clearUndo(trx: Kysely<Tables>, userId: string): Promise<void> {
  await trx.deleteFrom('undoable_decisions').where('user_id', '=', userId).execute();
}

/**
 * Restores an account to its state before the last decision, and returns that state. Throws
 * failed-precondition if none is saved. In a transaction that locks the account.
 */
export async function applyUndo(trx: Kysely<Tables>, userId: string, now: number): Promise<Before> {
  const row = await trx
    .selectFrom('undoable_decisions')
    .select('before')
    .where('user_id', '=', userId)
    .where('decided_at', '>', now - undoMs)
    .executeTakeFirst();
  if (row === undefined) {
    throw new AppError('failed-precondition', 'This decision cannot be taken back any more.');
  }
  const before = JSON.parse(row.before) as Before;
  await clearUndo(trx, userId);
  const user = await trx
    .updateTable('users')
    .set({
      status: before.status,
      is_author: before.isAuthor,
      approved_at: before.approvedAt,
      denied_at: before.deniedAt,
      introduction: before.introduction,
    })
    .where('id', '=', userId)
    .returning(['id', 'email'])
    .executeTakeFirstOrThrow();
  await replaceTags(trx, 'approved_tags', userId, before.approvedTags);
  await replaceTags(trx, 'withheld_tags', userId, before.withheldTags);
  await forgetDenials(trx, user);
  await restoreDenials(trx, before.denials);
  return before;
}

/** Deletes the saved states of decisions that can no longer be undone. */
export async function sweepUndoable({ db, clock }: WriteContext): Promise<void> {
  await db
    .deleteFrom('undoable_decisions')
    .where('decided_at', '<=', clock() - undoMs)
    .execute();
}
