import { proposalsPerMember } from '../../../contract/constants.ts';
import { moment } from '../../../contract/date.ts';
import { AppError } from '../../../contract/errors.ts';
import type { Output } from '../../../contract/operations.ts';
import type { ReadContext } from '../../access/context.ts';
import { dayMs } from '../../base/clock.ts';
import { countRows } from '../../db/count-rows.ts';
import { type DbContext, inTransaction, type WriteContext } from '../../db/transaction.ts';
import { takeAttempt } from '../../limits/attempts.ts';
import { requireNewAccounts } from '../sign-in/sign-up-limits.ts';

const proposalsPerDay = 20;

type Proposed = { email: string; name: string; word: string };

/** The open proposals of a member, oldest first. */
export async function listOwnProposals(
  { db }: Pick<ReadContext, 'db'>,
  userId: string,
): Promise<Output<'listOwnProposals'>['proposals']> {
  const rows = await db
    .selectFrom('proposals')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('email')
    .execute();
  return rows.map(({ email, name, word, created_at }) => ({
    ...{ email, name, word },
    createdAt: moment(created_at),
  }));
}

/**
 * Proposes a person to the admins; proposing the same address again replaces the earlier proposal. Existing
 * accounts are not looked up, so neither the answer nor its time reveals them. Throws resource-exhausted, and
 * failed-precondition if the site accepts no new accounts.
 */
export async function propose(
  context: WriteContext & ReadContext,
  userId: string,
  { email, ...said }: Proposed,
): Promise<void> {
  await requireNewAccounts(context);
  await inTransaction(context, async trx => {
    // This also serialises proposals of one member, so that the limit below holds.
    const bucket = { name: `proposals of ${userId}`, points: proposalsPerDay, seconds: dayMs / 1_000 };
    await takeAttempt({ db: trx, clock: context.clock }, bucket);
    const values = { ...said, created_at: context.clock() };
    await trx
      .insertInto('proposals')
      .values({ user_id: userId, email, ...values })
      .onConflict(conflict => conflict.columns(['user_id', 'email']).doUpdateSet(values))
      .execute();
    const waiting = await countRows(trx.selectFrom('proposals').where('user_id', '=', userId));
    if (waiting > proposalsPerMember) {
      throw new AppError(
        'resource-exhausted',
        `${proposalsPerMember} people whom you have proposed are waiting already. Please wait for an answer.`,
      );
    }
  });
}

export async function withdrawProposal(context: WriteContext, userId: string, email: string): Promise<void> {
  await inTransaction(context, async trx => {
    await trx.deleteFrom('proposals').where('user_id', '=', userId).where('email', '=', email).execute();
  });
}

/** How long an unanswered proposal is kept: it contains the address of a person who does not know of it. */
const unansweredLifeMs = 90 * dayMs;

/** Deletes proposals that were unanswered for too long. */
export async function sweepProposals({ db, clock }: DbContext): Promise<void> {
  await db
    .deleteFrom('proposals')
    .where('created_at', '<', clock() - unansweredLifeMs)
    .execute();
}
