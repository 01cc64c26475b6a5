import type { Kysely } from 'kysely';
import type { UserStatus } from '../../../contract/accounts/status.ts';
import { AppError, fieldError } from '../../../contract/errors.ts';
import type { Named } from '../../../contract/history.ts';
import type { ReadContext } from '../../access/context.ts';
import { createId } from '../../base/id.ts';
import { digestOf } from '../../base/secrets.ts';
import type { Config } from '../../config.ts';
import { dialectOf, isDuplicate } from '../../db/dialect.ts';
import type { Tables } from '../../db/tables.ts';
import { type DbContext, inTransaction, unguarded } from '../../db/transaction.ts';
import { recordHistory } from '../../history/write.ts';
import { denialsOf, forgetDenials } from '../members/denials.ts';
import { insertAccount } from '../sign-in/insert.ts';
import type { PasswordHashing } from '../sign-in/password-hashing.ts';
import { requireNewAccounts } from '../sign-in/sign-up-limits.ts';
import {
  type AccountAt,
  isUnclaimed,
  lockAccountAt,
  releaseNames,
  replaceAccount,
} from '../sign-in/unclaimed.ts';
import { type OpenInvitation, openInvitation } from './read.ts';
import { thingOf } from './write.ts';

type JoinDeps = DbContext & Pick<ReadContext, 'settings'> & { hashing: PasswordHashing; config: Config };

type Newcomer = {
  username: string;
  name: string;
  email?: string | undefined;
  password?: string | undefined;
};

/** The fields of a new account, completed from the invitation. */
type Account = { id: string; username: string; name: string; email: string; passwordHash: string | null };

/**
 * Makes an account by an invitation, approved with its current tags, in one transaction that locks the
 * invitation, so it is never used too often. Returns the account's id. Throws failed-precondition for an
 * invitation that is no longer open; already-exists for a taken username or address; invalid-argument for
 * missing fields.
 */
export async function join(deps: JoinDeps, token: string, newcomer: Newcomer): Promise<string> {
  await requireNewAccounts(deps);
  const digest = digestOf(token);
  const found = await openInvitation(deps, digest);
  if (found === undefined) throw invitationOver();
  const email = emailFor(found, newcomer);
  if (!found.isProven && newcomer.password === undefined)
    throw fieldError('password', 'Please choose a password.');
  const account: Account = {
    id: createId(),
    username: newcomer.username,
    name: newcomer.name,
    email,
    // Hashed before anything is locked, because that takes a while on purpose.
    passwordHash: newcomer.password === undefined ? null : await deps.hashing.hash(newcomer.password),
  };
  const act = () => inTransaction({ db: deps.db, ...unguarded }, trx => joinIn(trx, deps, digest, account));
  try {
    await act();
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    // Somebody took the username or the address at the same moment; the second attempt finds and names it.
    await act();
  }
  return account.id;
}

function emailFor(invitation: OpenInvitation, { email }: Newcomer): string {
  if (invitation.email === null) {
    if (email === undefined) throw fieldError('email', 'Please enter your email address.');
    return email;
  }
  if (email !== undefined && email !== invitation.email) {
    throw fieldError('email', 'This invitation is for another email address.');
  }
  return invitation.email;
}

/** The invitation, locked until the transaction ends. Throws failed-precondition if it has ended. */
export async function lockOpenInvitation(
  trx: Kysely<Tables>,
  { clock, config }: Pick<JoinDeps, 'clock' | 'config'>,
  digest: string,
): Promise<OpenInvitation> {
  const { forUpdate, shared } = dialectOf(trx);
  const made = await trx
    .selectFrom('invitations')
    .select(['id', 'created_by'])
    .where('digest', '=', digest)
    .executeTakeFirst();
  if (made === undefined || made.created_by === null) throw invitationOver();
  // The admin's account first, as in the code that ends invitations: another order could deadlock.
  await shared(trx.selectFrom('users').select('id').where('id', '=', made.created_by)).execute();
  await forUpdate(trx.selectFrom('invitations').select('id').where('id', '=', made.id)).execute();
  const invitation = await openInvitation({ db: trx, clock, config }, digest);
  if (invitation === undefined) throw invitationOver();
  return invitation;
}

async function joinIn(trx: Kysely<Tables>, deps: JoinDeps, digest: string, account: Account): Promise<void> {
  const invitation = await lockOpenInvitation(trx, deps, digest);
  const replaced = await freeNames(trx, invitation, account);
  const status = await statusFor(trx, invitation, account);
  const now = deps.clock();
  await insertAccount(trx, {
    ...account,
    isEmailVerified: invitation.isProven,
    status,
    isAdmin: false,
    createdAt: now,
    decidedAt: now,
  });
  if (replaced !== undefined) await replaceAccount(trx, deps, replaced, account);
  await recordUse(trx, deps, invitation, { userId: account.id, status, tags: await tagsOf(trx, invitation) });
}

export async function tagsOf(db: Kysely<Tables>, { id }: { id: string }): Promise<Named[]> {
  return await db
    .selectFrom('invitation_tags')
    .innerJoin('tags', 'tags.id', 'invitation_tags.tag_id')
    .select(['tags.id', 'tags.name'])
    .where('invitation_id', '=', id)
    .where('is_listed', '=', true)
    .execute();
}

type Use = {
  userId: string;
  status: UserStatus;
  tags: Named[];
  /** Whether the account was a member's before. */
  wasApproved?: boolean;
};

/**
 * Counts a use of a locked invitation, gives the account the tags, and says so in the history of rights.
 */
export async function recordUse(
  trx: Kysely<Tables>,
  context: Pick<DbContext, 'by' | 'clock'>,
  invitation: OpenInvitation,
  { userId, status, tags, wasApproved = false }: Use,
): Promise<void> {
  // Mails to an unconfirmed address wait if its account came by an invitation: not if an admin approved it.
  if (!wasApproved) {
    await trx
      .insertInto('invitation_uses')
      .values({ user_id: userId, invitation_id: invitation.id })
      // Somebody who joined by another one before, and waits again, stays in its list.
      .onConflict(conflict => conflict.doNothing())
      .execute();
  }
  await trx
    .updateTable('invitations')
    .set(eb => ({ uses: eb('uses', '+', 1) }))
    .where('id', '=', invitation.id)
    .execute();
  const rows = tags.map(tag => ({ user_id: userId, tag_id: tag.id }));
  if (rows.length > 0) await trx.insertInto('approved_tags').values(rows).execute();
  await recordHistory(trx, context, {
    kind: 'joined',
    user: userId,
    isByUser: true,
    thing: thingOf(invitation),
    after: status,
    gave: tags,
    took: [],
  });
}

/**
 * Throws already-exists if the username or address is taken. A pending account with the address that was
 * never confirmed is replaced if the newcomer has proved that they read the mailbox: it may be a stranger's.
 * It is returned.
 */
async function freeNames(
  trx: Kysely<Tables>,
  { isProven }: OpenInvitation,
  account: Account,
): Promise<AccountAt | undefined> {
  const other = await lockAccountAt(trx, account.email);
  if (other !== undefined) {
    if (!isProven || !isUnclaimed(other)) {
      throw fieldError('email', 'An account with this email address already exists.', 'already-exists');
    }
    await releaseNames(trx, other.id);
  }
  const namesake = await trx
    .selectFrom('users')
    .select('id')
    .where('username', '=', account.username.toLowerCase())
    .executeTakeFirst();
  if (namesake !== undefined)
    throw fieldError('username', 'This username is already taken.', 'already-exists');
  return other;
}

async function statusFor(
  trx: Kysely<Tables>,
  invitation: OpenInvitation,
  account: Account,
): Promise<'approved' | 'pending'> {
  if (await isDenied(trx, invitation, account)) return 'pending';
  await forgetDenials(trx, account);
  return 'approved';
}

/**
 * Whether an admin has denied the address and has not invited it by name since: a denied person could
 * otherwise come back by a shared link, or by a mail from before.
 */
export async function isDenied(
  db: Kysely<Tables>,
  { email, created_at }: OpenInvitation,
  account: { id: string; email: string },
): Promise<boolean> {
  const deniedAt = (await denialsOf(db, [account])).get(account.id);
  return deniedAt !== undefined && (email === null || deniedAt > created_at);
}

function invitationOver(): AppError {
  return new AppError('failed-precondition', 'This invitation is no longer valid. Please ask for a new one.');
}
