import { createHash, randomBytes } from 'node:crypto';
import type { NewAccount } from '../../contract/accounts/sign-in.ts';
import { AppError } from '../../contract/errors.ts';
import type { Deps, Invocation } from '../deps.ts';
import { signUp } from './credentials.ts';
import { makeAdmin } from './decisions.ts';
import { hasAdmin } from './read.ts';

const digest = (token: string) => createHash('sha256').update(token).digest('base64url');

/**
 * The one-time link that creates the first admin (decisions.md 25); undefined once there is one. Each start makes a new
 * link and ends the one before. Only its digest is kept.
 */
export async function setupLink({ db, config }: Pick<Deps, 'db' | 'config'>): Promise<string | undefined> {
  if (await hasAdmin(db)) return undefined;
  const token = randomBytes(24).toString('base64url');
  await db
    .insertInto('settings')
    .values({ name: 'setup-token', value: digest(token) })
    .onConflict(conflict => conflict.column('name').doUpdateSet({ value: digest(token) }))
    .execute();
  return `${config.publicUrl}/setup?token=${token}`;
}

/** What a setup link is good for now. Looking at it does not use it up. */
export async function describeSetup(
  { db }: Pick<Deps, 'db'>,
  token: string,
): Promise<{ isDone: boolean; isValid: boolean }> {
  if (await hasAdmin(db)) return { isDone: true, isValid: false };
  const row = await db
    .selectFrom('settings')
    .select('name')
    .where('name', '=', 'setup-token')
    .where('value', '=', digest(token))
    .executeTakeFirst();
  return { isDone: false, isValid: row !== undefined };
}

/**
 * Creates the first admin and signs them in. Returns the account's id. Throws permission-denied for a token that is not
 * the one printed last, or was used; whoever is first to use it wins.
 */
export async function setUpSite(deps: Invocation, token: string, account: NewAccount): Promise<string> {
  const value = digest(token);
  const { db } = deps;
  const claimed = await db
    .deleteFrom('settings')
    .where('name', '=', 'setup-token')
    .where('value', '=', value)
    .executeTakeFirst();
  if (claimed.numDeletedRows === 0n || (await hasAdmin(db))) {
    throw new AppError('permission-denied', 'This setup link is not valid any more.');
  }
  try {
    const id = await signUp(deps, account);
    // Nobody was signed in: who holds the link makes themselves an admin.
    const by = deps.by && { ...deps.by, user: { id, username: account.username } };
    await makeAdmin({ ...deps, by }, id);
    return id;
  } catch (error) {
    // A taken username must not cost the link.
    await db
      .insertInto('settings')
      .values({ name: 'setup-token', value })
      .onConflict(conflict => conflict.column('name').doNothing())
      .execute();
    throw error;
  }
}
