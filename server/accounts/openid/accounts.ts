import { randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { AppError } from '../../../contract/errors.ts';
import { tagKey } from '../../../contract/tag-name.ts';
import { lockAccount } from '../../access/hold-rights.ts';
import { createId } from '../../base/id.ts';
import { dialectOf, isDuplicate } from '../../db/dialect.ts';
import type { Tables } from '../../db/tables.ts';
import { inTransaction, type WriteContext } from '../../db/transaction.ts';
import { recordHistory } from '../../history/write.ts';
import { queueNotice } from '../../mail/write.ts';
import { disconnect } from '../sessions/end-access.ts';
import { freeUsername } from '../sign-in/free-username.ts';
import { insertAccount, signInMethod } from '../sign-in/insert.ts';
import { hasPassword } from '../sign-in/passwords.ts';
import type { OpenidPerson } from './provider.ts';

/** The account that is connected with a person at the provider; undefined for a new person. */
export async function accountOfPerson(
  db: Kysely<Tables>,
  { issuer, subject }: Pick<OpenidPerson, 'issuer' | 'subject'>,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('sign_in_methods')
    .select('user_id')
    .where('provider', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
  return row?.user_id;
}

/**
 * Creates a pending account for a person at the provider. Returns its id. Throws already-exists if an account
 * has the address: it may be another person's, so only somebody signed in to it can connect it. Throws
 * failed-precondition if the provider gives no address.
 */
export async function signUpPerson(context: WriteContext, person: OpenidPerson): Promise<string> {
  const { email } = person;
  if (email === undefined) {
    throw new AppError('failed-precondition', 'The provider did not share your email address.');
  }
  const act = () => inTransaction(context, trx => insertPerson(trx, context.clock(), { ...person, email }));
  try {
    return await act();
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    // Somebody took the username or the address at the same moment; the second attempt finds it.
    return await act();
  }
}

async function insertPerson(
  trx: Kysely<Tables>,
  now: number,
  person: OpenidPerson & { email: string },
): Promise<string> {
  const { issuer, subject, email, name, username } = person;
  const other = await trx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst();
  // They may have come in another tab at the same moment. Asked last: that account is then seen whole.
  const known = await accountOfPerson(trx, person);
  if (known !== undefined) return known;
  if (other !== undefined) {
    throw new AppError('already-exists', 'An account with this email address already exists.');
  }
  const id = createId();
  const wanted = username ?? name ?? email.split('@')[0] ?? '';
  // All similar usernames may be taken.
  const free = (await freeUsername(trx, wanted)) || `reader_${randomBytes(6).toString('hex')}`;
  await insertAccount(trx, {
    id,
    email,
    isEmailVerified: person.isEmailVerified,
    username: free,
    name: name ?? free,
    passwordHash: null,
    status: 'pending',
    isAdmin: false,
    createdAt: now,
    decidedAt: null,
  });
  const connection = signInMethod({ userId: id, issuer, subject, createdAt: now });
  await trx.insertInto('sign_in_methods').values(connection).execute();
  return id;
}

/**
 * Connects a person at the provider with an account, and mails its owner. Throws already-exists for a person
 * who has an account, and failed-precondition for an account that is connected.
 */
export async function connectPerson(
  context: WriteContext & { providerName: string },
  userId: string,
  { issuer, subject }: OpenidPerson,
): Promise<void> {
  await inTransaction(context, async trx => {
    await lockAccount(trx, userId);
    await context.requireRecentSignIn(trx);
    const owner = await accountOfPerson(trx, { issuer, subject });
    if (owner === userId) return;
    if (owner !== undefined) {
      throw new AppError('already-exists', 'Another account is connected with this sign-in already.');
    }
    if (await isConnected(trx, userId)) {
      throw new AppError('failed-precondition', 'Your account is connected already. Disconnect it first.');
    }
    const now = context.clock();
    const connection = signInMethod({ userId, issuer, subject, createdAt: now });
    await trx.insertInto('sign_in_methods').values(connection).execute();
    await queueNotice(trx, now, userId, 'provider-connected', { name: context.providerName });
    await recordHistory(trx, context, { kind: 'sign-in-connected', user: userId });
  });
}

/**
 * Ends the connection. Throws failed-precondition for an account without a password to sign in with instead.
 */
export async function disconnectPerson(context: WriteContext, userId: string): Promise<void> {
  await inTransaction(context, async trx => {
    await lockAccount(trx, userId);
    await context.requireRecentSignIn(trx);
    if (!(await hasPassword(trx, userId))) {
      throw new AppError(
        'failed-precondition',
        'Your account has no password yet. Set one first, or you could not log in any more.',
      );
    }
    if (!(await disconnect(trx, userId))) return;
    await recordHistory(trx, context, {
      kind: 'sign-in-disconnected',
      user: userId,
    });
  });
}

/** Whether an account is connected with a person at a provider. */
async function isConnected(db: Kysely<Tables>, userId: string): Promise<boolean> {
  const ways = db.selectFrom('sign_in_methods').select('id').where('user_id', '=', userId);
  return (await ways.where('provider', '<>', 'credential').executeTakeFirst()) !== undefined;
}

/**
 * Gives an account the tags that the provider names, in addition to its own. A tag that an admin has taken
 * away is not given back. Unknown names are ignored, and so are imported groups: an imported group is not the
 * provider's group of that name (decision 32). While the account is pending, the deciding admin finds
 * these tags preselected.
 */
export async function addToldTags(
  context: WriteContext,
  userId: string,
  person: OpenidPerson,
): Promise<void> {
  if (person.tags.length === 0) return;
  await inTransaction(context, async trx => {
    await lockAccount(trx, userId);
    if ((await accountOfPerson(trx, person)) !== userId) return;
    const keys = [...new Set(person.tags.map(tagKey))];
    const gave = await trx
      .selectFrom('tags')
      .select(['id', 'name'])
      .where(dialectOf(trx).inList(sql.ref('key'), keys))
      .where('is_listed', '=', true)
      .where('id', 'not in', eb =>
        eb.selectFrom('approved_tags').select('tag_id').where('user_id', '=', userId),
      )
      .where('id', 'not in', eb =>
        eb.selectFrom('withheld_tags').select('tag_id').where('user_id', '=', userId),
      )
      .where('id', 'not in', eb => eb.selectFrom('imported').select('target_id').where('kind', '=', 'tag'))
      .execute();
    if (gave.length === 0) return;
    await trx
      .insertInto('approved_tags')
      .values(gave.map(({ id }) => ({ user_id: userId, tag_id: id })))
      .execute();
    await recordHistory(trx, context, { kind: 'tags-changed', user: userId, gave });
  });
}
