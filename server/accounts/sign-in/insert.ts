import type { Insertable, Kysely } from 'kysely';
import type { UserStatus } from '../../../contract/accounts/status.ts';
import { moment } from '../../../contract/date.ts';
import { createId } from '../../base/id.ts';
import type { Tables } from '../../db/tables.ts';

export type InsertedAccount = {
  id: string;
  /** In its normal form: lower case. */
  email: string;
  isEmailVerified: boolean;
  /** As it is shown; unique regardless of case. */
  username: string;
  name: string;
  /** Their introduction to the author at sign-up. */
  introduction?: string | undefined;
  /** A hash that password-hashing.ts verifies; null for an account without a password. */
  passwordHash: string | null;
  status: UserStatus;
  isAdmin: boolean;
  /** Milliseconds. */
  createdAt: number;
  decidedAt: number | null;
};

/**
 * Inserts an account and nothing else: no mail, session or limit. Call within a transaction. Throws the
 * database's error for a taken username or address.
 */
export async function insertAccount(trx: Kysely<Tables>, account: InsertedAccount): Promise<void> {
  const { id, email, username, name, status } = account;
  const created = moment(account.createdAt);
  const user: Insertable<Tables['users']> = {
    id,
    name,
    email,
    email_verified: account.isEmailVerified,
    image: null,
    introduction: account.introduction || null,
    created_at: created,
    updated_at: created,
    username: username.toLowerCase(),
    display_username: username,
    is_admin: account.isAdmin,
    status,
    approved_at: status === 'approved' ? (account.decidedAt ?? account.createdAt) : null,
    denied_at: status === 'denied' ? (account.decidedAt ?? account.createdAt) : null,
  };
  await trx.insertInto('users').values(user).execute();
  if (account.passwordHash === null) return;
  const password = { userId: id, passwordHash: account.passwordHash, createdAt: account.createdAt };
  await trx.insertInto('sign_in_methods').values(signInMethod(password)).execute();
}

/** A way to sign in to an account: with its password, or as a person at an OpenID provider. */
type SignInMethod = { userId: string; createdAt: number; id?: string } & (
  | { passwordHash: string }
  | { issuer: string; subject: string }
);

export function signInMethod(method: SignInMethod): Insertable<Tables['sign_in_methods']> {
  const { userId, createdAt, id = createId() } = method;
  const at = moment(createdAt);
  const common = { id, user_id: userId, created_at: at, updated_at: at };
  return 'passwordHash' in method
    ? { ...common, provider: 'credential', subject: userId, password: method.passwordHash }
    : { ...common, provider: method.issuer, subject: method.subject };
}
