import { randomBytes } from 'node:crypto';
import { APIError, createEmailVerificationToken } from 'better-auth/api';
import type { Kysely } from 'kysely';
import { NewAccount } from '../../contract/accounts/sign-in.ts';
import { AppError } from '../../contract/errors.ts';
import { withoutDisguise } from '../db/outage.ts';
import type { Tables } from '../db/tables.ts';
import type { Deps } from '../deps.ts';
import { accountMails, queueMail } from '../mail/write.ts';
import { endTokens } from './access-token.ts';
import { type Auth, confirmationSeconds } from './auth.ts';
import { copyCookies } from './sessions.ts';

/** Where the answers of better-auth go: the account it concerns, and headers for the browser. */
type Exchange = { auth: Auth; request: Headers; reply: Headers };
type Entering = Exchange & { db: Kysely<Tables> };

/**
 * Creates an account, pending approval, and signs it in. Returns its id. Throws already-exists when the username or the
 * address is taken.
 */
export async function signUp(entering: Entering, account: NewAccount): Promise<string> {
  const { auth, request, reply } = entering;
  const before = await sessionOfCookie(entering);
  const { headers, response } = await translated(
    auth.api.signUpEmail({
      body: {
        email: account.email,
        password: account.password,
        name: account.name,
        username: account.username,
        displayUsername: account.username,
      },
      headers: request,
      returnHeaders: true,
    }),
  );
  handOver(headers, reply);
  await endReplaced(entering, before);
  return response.user.id;
}

/**
 * Mails the link that confirms the address of a new account. After the account is there: better-auth makes it in a
 * transaction of its own, which the queue would wait for.
 */
export async function askForConfirmation(
  { auth, db, clock }: Pick<Deps, 'auth' | 'db' | 'clock'>,
  userId: string,
  email: string,
): Promise<void> {
  const { secret } = await auth.$context;
  const token = await createEmailVerificationToken(secret, email, undefined, confirmationSeconds);
  await accountMails({ db, clock }).sendConfirmation(userId, email, token);
}

/** Starts a session. Returns the account's id. Throws unauthenticated, the same for an unknown address and a wrong password. */
export async function signIn(
  entering: Entering,
  credentials: { email: string; password: string },
): Promise<string> {
  const { auth, request, reply } = entering;
  const before = await sessionOfCookie(entering);
  const { headers, response } = await translated(
    auth.api.signInEmail({ body: credentials, headers: request, returnHeaders: true }),
  );
  handOver(headers, reply);
  await endReplaced(entering, before);
  return response.user.id;
}

/** The session that a browser still holds when it signs in anew. */
async function sessionOfCookie({ auth, request, reply }: Exchange): Promise<string | undefined> {
  const cookie = request.get('cookie');
  if (cookie === null) return undefined;
  return await currentSessionId({ auth, request: new Headers({ cookie }), reply });
}

/** Its cookie has been written over, so nobody could end it any more but by hand; a copy of it must be worth nothing. */
async function endReplaced({ db }: Entering, sessionId: string | undefined): Promise<void> {
  if (sessionId !== undefined) await db.deleteFrom('sessions').where('id', '=', sessionId).execute();
}

/** Ends the session of the request, if there is one. */
export async function signOut({ auth, request, reply }: Exchange): Promise<void> {
  const { headers } = await translated(auth.api.signOut({ headers: request, returnHeaders: true }));
  copyCookies(headers, reply);
}

/** The id of the session that a request belongs to. */
export async function currentSessionId({ auth, request }: Exchange): Promise<string | undefined> {
  return (await translated(auth.api.getSession({ headers: request })))?.session.id;
}

/** Ends every session of the account, this one too. By its id: a program with an access token has no session to ask by. */
export async function endAllSessions(entering: Entering, userId: string): Promise<void> {
  await entering.db.deleteFrom('sessions').where('user_id', '=', userId).execute();
  await signOut(entering);
}

/** Throws invalid-argument when it is not the password of the account. */
export async function checkPassword({ auth, request }: Exchange, password: string): Promise<void> {
  await translated(auth.api.verifyPassword({ body: { password }, headers: request }));
}

/** Changes the password, ends every session, and begins a new one for who asks. Throws as {@link checkPassword}. */
export async function changePassword(
  { auth, request, reply }: Exchange,
  passwords: { currentPassword: string; newPassword: string },
): Promise<void> {
  const { headers } = await translated(
    auth.api.changePassword({
      body: { ...passwords, revokeOtherSessions: true },
      headers: request,
      returnHeaders: true,
    }),
  );
  handOver(headers, reply);
}

/** Mails a link to the new address; nothing else happens until it is confirmed, also when the address is taken. */
export async function changeEmail({ auth, request }: Exchange, email: string): Promise<void> {
  await translated(auth.api.changeEmail({ body: { newEmail: email }, headers: request }));
}

export async function sendConfirmation({ auth, request }: Exchange, email: string): Promise<void> {
  await translated(auth.api.sendVerificationEmail({ body: { email }, headers: request }));
}

/**
 * Confirms the address that a token names; where it is a new one, account and subscription take it. Throws
 * failed-precondition for a token that is not good any more. Whoever holds it is not signed in by it. The address before
 * is told of the change.
 */
export async function confirmEmail(
  { auth, db, clock }: Pick<Deps, 'auth' | 'db' | 'clock'>,
  token: string,
): Promise<void> {
  const user = await db
    .selectFrom('users')
    .select(['id', 'email'])
    .where('email', '=', claimedAddress(token))
    .executeTakeFirst();
  const sessions = db
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', user?.id ?? '');
  const before = new Set((await sessions.execute()).map(session => session.id));
  await translated(auth.api.verifyEmail({ query: { token } }));
  if (user === undefined) return;
  // better-auth begins a session for whoever confirms a change of address.
  for (const { id } of await sessions.execute()) {
    if (!before.has(id)) await db.deleteFrom('sessions').where('id', '=', id).execute();
  }
  await db
    .updateTable('subscriptions')
    .set(eb => ({
      email: eb.selectFrom('users').select('email').whereRef('users.id', '=', 'subscriptions.user_id'),
    }))
    .where('user_id', '=', user.id)
    .execute();
  const now = await db.selectFrom('users').select('email').where('id', '=', user.id).executeTakeFirst();
  if (now === undefined || now.email === user.email) return;
  // Whoever reads the old mailbox hears of it, and can do nothing with what was mailed there before.
  await endTokens(db, user.id);
  await queueMail(db, clock(), { kind: 'moved', userId: user.id, data: { to: user.email } });
}

/** The address that a token says it is about; better-auth checks afterwards whether it may say so. */
function claimedAddress(token: string): string {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    if (typeof claims !== 'object' || claims === null || !('email' in claims)) return '';
    // Nothing has been checked yet: only what could be an address is looked for.
    return NewAccount.shape.email.safeParse(claims.email).data ?? '';
  } catch {
    // Not a token of ours: checking it will say so.
  }
  return '';
}

/** Mails a one-time link to the account with this address; does nothing that shows when there is none. */
export async function requestReset({ auth }: { auth: Auth }, email: string): Promise<void> {
  await translated(auth.api.requestPasswordReset({ body: { email } }));
}

/** Sets a password with a one-time token; every session ends. Throws failed-precondition for a token that was used. */
export async function resetPassword(
  { auth }: { auth: Auth },
  token: string,
  password: string,
): Promise<void> {
  await translated(auth.api.resetPassword({ body: { token, newPassword: password } }));
}

/** A one-time link that sets a new password, for who administers a site without mail. It works for an hour. */
export async function resetLink(
  { auth, config }: Pick<Deps, 'auth' | 'config'>,
  userId: string,
): Promise<string> {
  const token = randomBytes(24).toString('base64url');
  const { internalAdapter } = await auth.$context;
  await internalAdapter.createVerificationValue({
    identifier: `reset-password:${token}`,
    value: userId,
    expiresAt: new Date(Date.now() + 3_600_000),
  });
  return `${config.publicUrl}/reset-password?token=${token}`;
}

function handOver(from: Headers, reply: Headers): void {
  copyCookies(from, reply);
  // A program has no use for a cookie; it sends this token as a bearer token.
  const token = from.get('set-auth-token');
  if (token !== null) reply.set('set-auth-token', token);
}

async function translated<T>(answer: Promise<T>): Promise<T> {
  try {
    return await withoutDisguise(answer);
  } catch (error) {
    if (!(error instanceof APIError)) throw error;
    switch (error.body?.code) {
      case 'USER_ALREADY_EXISTS':
      case 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL':
        throw new AppError('already-exists', 'An account with this e-mail address already exists.', {
          fields: { email: 'An account with this e-mail address already exists.' },
        });
      case 'USERNAME_IS_ALREADY_TAKEN':
        throw new AppError('already-exists', 'This username is already taken.', {
          fields: { username: 'This username is already taken.' },
        });
      case 'INVALID_EMAIL_OR_PASSWORD':
      case 'INVALID_EMAIL':
        throw new AppError('unauthenticated', 'Invalid email or password.');
      case 'INVALID_PASSWORD':
        throw new AppError('invalid-argument', 'This is not your password.', {
          fields: { currentPassword: 'This is not your password.' },
        });
      case 'INVALID_TOKEN':
      case 'TOKEN_EXPIRED':
      case 'USER_NOT_FOUND':
      case 'INVALID_USER':
        throw new AppError(
          'failed-precondition',
          'This link is not valid any more. Please ask for a new one.',
        );
      default:
        if (error.statusCode >= 500) throw error;
        throw new AppError('invalid-argument', error.message);
    }
  }
}
