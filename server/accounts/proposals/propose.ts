import { proposalsPerMember } from '../../../contract/constants.ts';
import { moment } from '../../../contract/date.ts';
import { AppError } from '../../../contract/errors.ts';
import type { Output } from '../../../contract/operations.ts';
import type { ReadContext } from '../../access/context.ts';
import { dayMs } from '../../base/clock.ts';
import { type DbContext, inTransaction, type WriteContext } from '../../db/transaction.ts';
import { takeAttempt } from '../../limits/attempts.ts';
import { requireNewAccounts } from '../sign-in/sign-up-limits.ts';

/** How often somebody may propose in a day. */
const proposalsPerDay = 20;

type Proposed = { email: string; name: string; word: string };

/** The proposals of a member that wait for an answer, the oldest first. */
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
 * Proposes somebody to the admins; the same address again replaces what was said before. Whether somebody
 * has an account with the address is not asked, so that neither the answer nor its time tells. Throws
 * resource-exhausted, and failed-precondition where the site takes no new accounts.
 */
export async function propose(
  context: WriteContext & ReadContext,
  userId: string,
  { email, ...said }: Proposed,
): Promise<void> {
  await requireNewAccounts(context);
  await inTransaction(context, async trx => {
    // It also lets proposals of one member wait for each other, so that the limit below holds.
    const bucket = { name: `proposals of ${userId}`, points: proposalsPerDay, seconds: dayMs / 1_000 };
    await takeAttempt({ db: trx, clock: context.clock }, bucket);
    const values = { ...said, created_at: context.clock() };
    await trx
      .insertInto('proposals')
      .values({ user_id: userId, email, ...values })
      .onConflict(conflict => conflict.columns(['user_id', 'email']).doUpdateSet(values))
      .execute();
    const { waiting } = await trx
      .selectFrom('proposals')
      .select(eb => eb.fn.countAll<number>().as('waiting'))
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow();
    if (waiting > proposalsPerMember) {
      throw new AppError(
        'resource-exhausted',
        `${proposalsPerMember} people whom you have proposed are waiting already. Please wait for an answer.`,
      );
    }
  });
}

/** Withdraws a proposal of a member. */
export async function withdrawProposal(context: WriteContext, userId: string, email: string): Promise<void> {
  await inTransaction(context, async trx => {
    await trx.deleteFrom('proposals').where('user_id', '=', userId).where('email', '=', email).execute();
  });
}

/** How long an unanswered proposal is kept: it holds the address of a person who does not know of it. */
const unansweredLifeMs = 90 * dayMs;

/** Deletes proposals that nobody has answered for long. */
export async function sweepProposals({ db, clock }: DbContext): Promise<void> {
  await db
    .deleteFrom('proposals')
    .where('created_at', '<', clock() - unansweredLifeMs)
    .execute();
}
