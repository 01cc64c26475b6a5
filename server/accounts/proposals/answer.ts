import { type Kysely, sql } from 'kysely';
import { moment } from '../../../contract/date.ts';
import { AppError } from '../../../contract/errors.ts';
import { cutMarks } from '../../../contract/marks.ts';
import type { Output } from '../../../contract/operations.ts';
import type { ReadContext } from '../../access/context.ts';
import { lockAccount } from '../../access/hold-rights.ts';
import { oldestProposals, openProposals } from '../../access/proposals.ts';
import type { Config } from '../../config.ts';
import { countRows } from '../../db/count-rows.ts';
import { dialectOf } from '../../db/dialect.ts';
import type { Tables } from '../../db/tables.ts';
import { inTransaction, type WriteContext } from '../../db/transaction.ts';
import { inviteIn, type MadeInvitations } from '../invitations/write.ts';
import { denialsOf } from '../members/denials.ts';
import { isUnclaimed } from '../sign-in/unclaimed.ts';

/** The oldest open proposals, with what is known about each address, and how many are open in all. */
export async function listProposals(
  { db }: Pick<ReadContext, 'db'>,
  most: number,
): Promise<Output<'listProposals'>> {
  const rows = await oldestProposals(db, most);
  const total = await countRows(openProposals(db));
  const emails = [...new Set(rows.map(({ email }) => email))];
  const accounts = await db
    .selectFrom('users')
    .select(['id', 'email', 'display_username as username', 'status', 'email_verified'])
    .where(dialectOf(db).inList(sql.ref('email'), emails))
    .execute();
  const known = new Map(
    accounts.flatMap(account => (isUnclaimed(account) ? [] : [[account.email, account.username]])),
  );
  const denials = await denialsOf(
    db,
    emails.map(email => ({ id: email, email })),
  );
  const proposals = rows.map(({ user_id, username, email, name, word, created_at }) => {
    const deniedAt = denials.get(email);
    return {
      ...{ userId: user_id, username, email, name, word: cutMarks(word) },
      createdAt: moment(created_at),
      knownAs: known.get(email) ?? null,
      deniedAt: deniedAt === undefined ? null : moment(deniedAt),
    };
  });
  return { proposals, total };
}

type Named = { userId: string; email: string };

/**
 * Invites a proposed person, which answers all proposals of the address. Throws not-found for a proposal that
 * is not open.
 */
export async function acceptProposal(
  deps: WriteContext & { config: Config },
  named: Named,
  terms: { creatorId: string; tagIds: readonly string[]; expiresInDays: number },
): Promise<MadeInvitations> {
  return await inTransaction(deps, async trx => {
    const name = await takeProposal(trx, named, { withOthers: true });
    return await inviteIn(trx, deps, { ...terms, proposer: named.userId }, [{ email: named.email, name }]);
  });
}

/** Removes a proposal. Throws not-found if it is not open. */
export async function declineProposal(context: WriteContext, named: Named): Promise<void> {
  await inTransaction(context, async trx => {
    await takeProposal(trx, named, { withOthers: false });
  });
}

/**
 * Removes a proposal and all others of the same address. Returns the name in it. Until the transaction ends,
 * the proposer cannot be denied, and nobody else answers the proposal.
 */
async function takeProposal(
  trx: Kysely<Tables>,
  { userId, email }: Named,
  { withOthers }: { withOthers: boolean },
): Promise<string> {
  const member = await lockAccount(trx, userId);
  const taken = await trx
    .deleteFrom('proposals')
    .where('email', '=', email)
    .$if(!withOthers, own => own.where('user_id', '=', userId))
    .returning(['user_id', 'name'])
    .execute();
  const own = taken.find(row => row.user_id === userId);
  if (member?.status !== 'approved' || own === undefined)
    throw new AppError('not-found', 'This proposal has been answered already, or was withdrawn.');
  return own.name;
}
