import type { Kysely } from 'kysely';
import { normalEmail } from '../../../contract/accounts/email.ts';
import { isReservedUsername } from '../../../contract/accounts/reserved-username.ts';
import { FullName } from '../../../contract/accounts/sign-in.ts';
import type { UserStatus } from '../../../contract/accounts/status.ts';
import {
  emailMaxCharacters,
  fullName,
  noAddressHost,
  username as usernameLimits,
} from '../../../contract/constants.ts';
import { AppError } from '../../../contract/errors.ts';
import { denialsOf } from '../../accounts/members/denials.ts';
import { insertAccount } from '../../accounts/sign-in/insert.ts';
import {
  type AccountAt,
  accountAt,
  isImported,
  isUnclaimed,
  lockAccountAt,
  releaseNames,
  replaceAccount,
} from '../../accounts/sign-in/unclaimed.ts';
import type { Clock } from '../../base/clock.ts';
import { digestOf } from '../../base/secrets.ts';
import type { Tables } from '../../db/tables.ts';
import { inTransaction, type WriteContext } from '../../db/transaction.ts';
import { differenceOfTags, recordHistory } from '../../history/write.ts';
import type { AudienceTag, AudienceTags } from './audience-tags.ts';
import type { DraftPerson } from './draft.ts';
import { findImported, freeId, noteImported } from './imported.ts';
import type { ImportedItem } from './report.ts';

/** The dependencies of importing a person, or the settings of a site. */
export type ItemImport = WriteContext & {
  clock: Clock;
  secret: string;
  /** The unique name of the item across sources. */
  source: string;
  audienceTags: AudienceTags;
  isDryRun: boolean;
  /** Usernames and addresses that a dry run has counted as taken, in lower case. */
  planned: Set<string>;
  /**
   * The last number that was tried after a username, so that a thousand of one name take a thousand queries,
   * not a million.
   */
  lastNumbers: Map<string, number>;
};

/**
 * Makes the account of a person of a source, with their tags there. If an account with their address exists,
 * that account is theirs, and keeps its rights: this site has decided about it. A pending account that was
 * never confirmed may be anybody's, who would get the person's posts, so it is replaced by theirs. An account
 * that joined by an open link and was never confirmed stays, and gets nothing of theirs. An account is
 * imported once: later changes to it here are not undone by another import.
 */
export async function savePerson(context: ItemImport, person: DraftPerson): Promise<ImportedItem> {
  const { db, source, audienceTags, isDryRun, planned } = context;
  const item = { kind: 'person' as const, source: person.id };
  if ((await findImported(db, source)) !== undefined) return { ...item, outcome: 'unchanged', notes: [] };

  const notes = [...person.notes];
  const email = emailOf(person, source, notes);
  const same = await accountAt(db, email).executeTakeFirst();
  const isStranger = same !== undefined && (await mayBeStrangers(db, same));
  if ((same !== undefined && !isStranger) || (isDryRun && planned.has(email))) {
    const isTheirs = same === undefined || !(await mayHaveAnotherOwner(db, same));
    if (!isDryRun && same !== undefined && isTheirs)
      await inTransaction(context, trx => noteImported(trx, { source, kind: 'person', target_id: same.id }));
    const who = same === undefined ? 'another one' : same.username;
    const what = isTheirs
      ? 'who keeps the rights and the password of this site'
      : 'who joined by an open link and never confirmed the address: nothing of the source becomes theirs';
    return { ...item, outcome: 'kept', reason: `its email address is that of ${who}, ${what}`, notes };
  }
  if (isStranger) {
    notes.push(
      `it takes the place of ${same.username}, who had signed up with this email address and never confirmed it`,
    );
  }
  const username = await freeUsername(context, person, notes);
  // Chosen here, because the transaction of the account cannot wait for one that makes a tag.
  const audience = await audienceTags.tagsFor(person.audience);
  if (person.passwordHash === undefined)
    notes.push(`${username} has no password and needs a link that sets one (“Forgot your password?”)`);
  const account = { email, username, audience };
  const status = isDryRun
    ? await statusHere(db, source, email, person)
    : await insertPerson(context, person, account);
  if (isDryRun) planned.add(email).add(username.toLowerCase());
  if (status !== wantedStatus(person))
    notes.push(`${username} waits for approval: this email address was denied here`);
  else if (person.isAdmin) notes.push(`${username} is an admin, as there`);
  return { ...item, outcome: 'created', notes };
}

/**
 * Whether anybody may have made an account: only its address tells whose it is, and nobody has confirmed it.
 */
async function mayBeStrangers(db: Kysely<Tables>, account: AccountAt): Promise<boolean> {
  return isUnclaimed(account) && !(await isImported(db, account.id));
}

/**
 * Whether an account may belong to somebody other than its address's owner: it joined by an open link, and
 * nobody has confirmed the address. Admins and authors are known here.
 */
async function mayHaveAnotherOwner(db: Kysely<Tables>, { id, email_verified }: AccountAt): Promise<boolean> {
  if (email_verified) return false;
  const use = await db
    .selectFrom('invitation_uses')
    .innerJoin('invitations', 'invitations.id', 'invitation_uses.invitation_id')
    .innerJoin('users', 'users.id', 'invitation_uses.user_id')
    .select('user_id')
    .where('user_id', '=', id)
    .where('invitations.email', 'is', null)
    .where('is_admin', '=', false)
    .where('is_author', '=', false)
    .executeTakeFirst();
  return use !== undefined;
}

function wantedStatus({ isAdmin, status }: DraftPerson): UserStatus {
  return isAdmin ? 'approved' : status;
}

/**
 * The status of an account here: nobody whom this site has denied is approved without an admin's decision.
 */
async function statusHere(
  db: Kysely<Tables>,
  source: string,
  email: string,
  person: DraftPerson,
): Promise<UserStatus> {
  const wanted = wantedStatus(person);
  if (wanted !== 'approved') return wanted;
  return (await denialsOf(db, [{ id: source, email }])).size > 0 ? 'pending' : wanted;
}

/** Inserts an account with its tags and subscription. Returns the status that it got. */
async function insertPerson(
  context: ItemImport,
  person: DraftPerson,
  { email, username, audience }: { email: string; username: string; audience: readonly AudienceTag[] },
): Promise<UserStatus> {
  const { source } = context;
  const id = await freeId(context, 'users', source, person.keepId);
  return await inTransaction(context, async trx => {
    const status = await statusHere(trx, source, email, person);
    const isAdmin = person.isAdmin && status === 'approved';
    const replaced = await freeNames(trx, email);
    await insertAccount(trx, {
      id,
      email,
      isEmailVerified: person.isEmailVerified,
      username,
      name: nameOf(person, username),
      passwordHash: person.passwordHash ?? null,
      status,
      isAdmin,
      createdAt: person.createdAt,
      decidedAt: person.decidedAt ?? null,
    });
    if (replaced !== undefined) await replaceAccount(trx, context, replaced, { id, email });
    const tagIds = audience.map(({ id }) => id);
    if (tagIds.length > 0) {
      await trx
        .insertInto('approved_tags')
        .values(tagIds.map(tag_id => ({ user_id: id, tag_id })))
        .execute();
    }
    if (person.isSubscribed) {
      await trx
        .insertInto('subscriptions')
        .values({ user_id: id, email, created_at: person.createdAt })
        .execute();
    }
    await noteImported(trx, { source, kind: 'person', target_id: id });
    await recordHistory(trx, context, {
      kind: 'account-imported',
      user: id,
      after: isAdmin ? 'admin' : status,
      ...(await differenceOfTags(trx, [], tagIds)),
    });
    return status;
  });
}

/**
 * Frees an address that somebody signed up with and never confirmed. Returns that account. Throws
 * already-exists if it now belongs to somebody.
 */
async function freeNames(trx: Kysely<Tables>, email: string): Promise<AccountAt | undefined> {
  const other = await lockAccountAt(trx, email);
  if (other === undefined) return undefined;
  if (!(await mayBeStrangers(trx, other))) {
    throw new AppError('already-exists', 'somebody has confirmed its email address for an account just now');
  }
  await releaseNames(trx, other.id);
  return other;
}

/**
 * Every account needs an address: a person without one gets one that can receive no mail, and that nobody of
 * another source gets.
 */
function emailOf({ id, email: written }: DraftPerson, source: string, notes: string[]): string {
  const email = normalEmail(written);
  if (/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email) && email.length <= emailMaxCharacters) return email;
  notes.push('it has no email address: nobody can sign in to it until it is given one');
  const readable = id.replaceAll(/[^A-Za-z0-9]/g, '').slice(0, 40);
  return `${readable}.${digestOf(source).slice(0, 12)}@${noAddressHost}`.toLowerCase();
}

/** The username within our rules, with a number after it if it is taken; only admins keep a reserved one. */
async function freeUsername(
  { db, isDryRun, planned, lastNumbers }: ItemImport,
  { username, name, email, isAdmin }: DraftPerson,
  notes: string[],
): Promise<string> {
  const { min, max } = usernameLimits;
  const wanted =
    [username, name, email.split('@')[0] ?? '']
      .map(text =>
        text
          .normalize('NFKD')
          .replaceAll(/[^A-Za-z0-9_\s.-]/g, '')
          .trim()
          .replaceAll(/[\s.-]+/g, '_'),
      )
      .find(text => text.length >= min && (isAdmin || !isReservedUsername(text))) ?? 'member';
  for (let number = (lastNumbers.get(wanted.toLowerCase()) ?? 0) + 1; ; number += 1) {
    lastNumbers.set(wanted.toLowerCase(), number);
    const suffix = number === 1 ? '' : String(number);
    const free = wanted.slice(0, max - suffix.length) + suffix;
    if (isDryRun && planned.has(free.toLowerCase())) continue;
    const taken = await db
      .selectFrom('users')
      .select('id')
      .where('username', '=', free.toLowerCase())
      .executeTakeFirst();
    if (taken !== undefined) continue;
    if (free !== username && username !== '') notes.push(`its username ${username} is ${free} here`);
    return free;
  }
}

function nameOf(person: DraftPerson, username: string): string {
  const name = FullName.safeParse(person.name.replaceAll(/\p{C}/gu, '').trim().slice(0, fullName.max));
  return name.success ? name.data : username;
}
