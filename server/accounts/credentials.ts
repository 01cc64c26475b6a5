import { randomBytes } from 'node:crypto';
import { APIError } from 'better-auth/api';
import { hashPassword } from 'better-auth/crypto';
import type { NewAccount } from '../../contract/accounts/sign-in.ts';
import { AppError } from '../../contract/errors.ts';
import type { Credential } from '../access/hold-rights.ts';
import { dialectOf } from '../db/dialect.ts';
import { unwrapOutage } from '../db/outage.ts';
import { inTransaction, type WriteContext } from '../db/transaction.ts';
import type { Deps, Invocation } from '../deps.ts';
import { recordHistory } from '../history/write.ts';
import { disconnect, endAccess, endTokens } from './access-token.ts';
import { isImportedHash, verifyAnyPassword } from './imported-passwords.ts';
import { namedAccount } from './read.ts';
import { copyCookies, credentialHeaders, endOldest } from './sessions.ts';

/** A request that better-auth answers: who asks, and where its headers for the browser go. */
type RequestDeps = Pick<Invocation, 'auth' | 'config' | 'request' | 'reply' | 'peer'>;
type SignInDeps = RequestDeps & Pick<Invocation, 'db' | 'clock' | 'by'>;

/**
 * Creates an account, pending approval, and signs it in. Returns its id. Throws already-exists when the username or the
 * address is taken.
 */
export async function signUp(deps: SignInDeps, account: NewAccount): Promise<string> {
  const before = await sessionOfCookie(deps);
  const { headers, response } = await translated(
    deps.auth.api.signUpEmail({
      body: {
        email: account.email,
        password: account.password,
        name: account.name,
        username: account.username,
        displayUsername: account.username,
      },
      headers: credentialHeaders(deps),
      returnHeaders: true,
    }),
  );
  handOver(headers, deps);
  await endReplaced(deps, before);
  return response.user.id;
}

/** Starts a session. Returns the account's id. Throws unauthenticated, the same for an unknown address and a wrong password. */
export async function signIn(
  deps: SignInDeps,
  credentials: { email: string; password: string },
): Promise<string> {
  const before = await sessionOfCookie(deps);
  const known = await passwordHash(deps.db, { email: credentials.email });
  const { headers, response } = await translated(
    deps.auth.api.signInEmail({
      body: credentials,
      headers: credentialHeaders(deps),
      returnHeaders: true,
    }),
  );
  await endIfOutdated(deps, response, known?.password, credentials.password);
  await recordSignIn(deps, response.user.id);
  handOver(headers, deps);
  await endReplaced(deps, before);
  await endOldest(deps.db, response.user.id);
  await hashAnew(deps, response.user.id, credentials.password);
  return response.user.id;
}

/**
 * Hashing takes a while: a password that was right when it began may have been changed since, which ended all sessions
 * before this one was made. Throws as for a wrong password.
 */
async function endIfOutdated(
  deps: SignInDeps,
  { token, user }: { token: string; user: { id: string } },
  hash: string | null | undefined,
  password: string,
): Promise<void> {
  const isKept = await keepSessionIf(deps, { token, userId: user.id }, async trx => {
    const now = (await passwordHash(trx, { id: user.id }))?.password ?? null;
    // The same password may have been hashed anew meanwhile.
    return now !== null && (now === hash || (await verifyAnyPassword({ hash: now, password })));
  });
  if (!isKept) throw wrongCredentials();
}

/**
 * Ends a session that has just been made unless what it was made for still holds. Holds the account, as whatever ends its
 * sessions does: that comes before, and is seen here, or after, and finds the session. Returns whether it is kept.
 */
async function keepSessionIf(
  { db }: SignInDeps,
  { token, userId }: { token: string; userId: string },
  holds: (trx: Deps['db']) => Promise<boolean>,
): Promise<boolean> {
  return await inTransaction({ db }, async trx => {
    const { forUpdate } = dialectOf(trx);
    await forUpdate(trx.selectFrom('users').select('id').where('id', '=', userId)).execute();
    if (await holds(trx)) return true;
    await trx.deleteFrom('sessions').where('token', '=', token).execute();
    return false;
  });
}

/** What the password of an account is compared with; undefined where there is no such account. */
async function passwordHash(db: Deps['db'], of: { id: string } | { email: string }) {
  const accounts = db
    .selectFrom('accounts')
    .innerJoin('users', 'users.id', 'accounts.user_id')
    .select(['accounts.id', 'accounts.password'])
    .where('accounts.provider_id', '=', 'credential');
  return await ('id' in of
    ? accounts.where('users.id', '=', of.id)
    : accounts.where('users.email', '=', of.email.toLowerCase())
  ).executeTakeFirst();
}

/**
 * Notes in the history of rights that an admin has signed in. Every way of signing in calls it before it hands the new
 * session over: nobody ever holds one that is not in the history.
 */
export async function recordSignIn(
  deps: Pick<Invocation, 'db' | 'clock' | 'by'>,
  userId: string,
): Promise<void> {
  await inTransaction({ db: deps.db }, async trx => {
    const row = await trx
      .selectFrom('users')
      .select(['display_username', 'is_admin'])
      .where('id', '=', userId)
      .executeTakeFirst();
    if (row === undefined || !row.is_admin) return;
    const user = { id: userId, username: row.display_username };
    await recordHistory(trx, deps, { kind: 'admin-signed-in', user, actor: user });
  });
}

/**
 * Starts a session for an account whose owner has shown who they are without a password: by an invitation or an OpenID
 * provider. `holds` is asked once the session is made, within a transaction that holds the account: whether that still says
 * who they are. Throws unauthenticated where it does not. The session that the browser held ends.
 */
export async function signInWithoutPassword(
  deps: SignInDeps,
  userId: string,
  holds: (trx: Deps['db']) => Promise<boolean> = async () => true,
): Promise<void> {
  const before = await sessionOfCookie(deps);
  const { headers, response } = await translated(
    deps.auth.api.beginSession({
      body: { userId },
      headers: credentialHeaders(deps),
      returnHeaders: true,
    }),
  );
  if (!(await keepSessionIf(deps, { token: response.token, userId }, holds))) {
    throw new AppError('unauthenticated', 'This sign-in has ended. Please try again.');
  }
  await recordSignIn(deps, userId);
  handOver(headers, deps);
  await endReplaced(deps, before);
  await endOldest(deps.db, userId);
}

/** A password that came with an import is hashed as ours are once it has shown that it is right. */
async function hashAnew({ db }: SignInDeps, userId: string, password: string): Promise<void> {
  const account = await passwordHash(db, { id: userId });
  if (account?.password == null || !isImportedHash(account.password)) return;
  await db
    .updateTable('accounts')
    .set({ password: await hashPassword(password) })
    .where('id', '=', account.id)
    // Not over one that was set meanwhile.
    .where('password', '=', account.password)
    .execute();
}

/** The session that a browser still holds when it signs in anew. */
async function sessionOfCookie(deps: RequestDeps): Promise<string | undefined> {
  const cookie = deps.request.get('cookie');
  if (cookie === null) return undefined;
  return await currentSessionId({ ...deps, request: new Headers({ cookie }) });
}

/** Its cookie has been written over, so nobody could end it any more but by hand; a copy of it must be worth nothing. */
async function endReplaced({ db }: SignInDeps, sessionId: string | undefined): Promise<void> {
  if (sessionId !== undefined) await db.deleteFrom('sessions').where('id', '=', sessionId).execute();
}

/** Ends the session of the request, if there is one. */
export async function signOut(deps: RequestDeps): Promise<void> {
  const { headers } = await translated(
    deps.auth.api.signOut({ headers: credentialHeaders(deps), returnHeaders: true }),
  );
  copyCookies(headers, deps.reply);
}

/** The id of the session that a request belongs to. */
async function currentSessionId(deps: RequestDeps): Promise<string | undefined> {
  const headers = credentialHeaders(deps);
  return (await translated(deps.auth.api.getSession({ headers })))?.session.id;
}

/** Ends every session of the account, this one too. By its id: a program with an access token has no session to ask by. */
export async function signOutEverywhere(deps: SignInDeps & WriteContext, userId: string): Promise<void> {
  await inTransaction(deps, async trx => {
    await endAccess(trx, userId);
    await recordHistory(trx, deps, { kind: 'sessions-ended', user: await namedAccount(trx, userId) });
  });
  await signOut(deps);
}

/** Whether an account can be opened with a password. */
export async function hasPassword(db: Deps['db'], userId: string): Promise<boolean> {
  return (await passwordHash(db, { id: userId }))?.password != null;
}

/** Throws invalid-argument when it is not the password of the account. */
export async function checkPassword(deps: RequestDeps, password: string): Promise<void> {
  const headers = credentialHeaders(deps);
  await translated(deps.auth.api.verifyPassword({ body: { password }, headers }));
}

/** Notes with a session that its password was given once more: for what asks for a recent sign-in. */
export async function notePassword(context: WriteContext, credential: Credential | null): Promise<void> {
  if (credential?.kind !== 'session') return;
  await inTransaction(context, async trx => {
    await trx
      .updateTable('sessions')
      // The time of day itself, by which better-auth dates sessions.
      .set({ password_given_at: Date.now() })
      .where('id', '=', credential.id)
      .execute();
  });
}

/**
 * Changes the password, ends every session, token and link, and begins a new session for who asks. Throws as
 * {@link checkPassword}.
 */
export async function changePassword(
  deps: SignInDeps,
  userId: string,
  passwords: { currentPassword: string; newPassword: string },
): Promise<void> {
  const { headers } = await translated(
    deps.auth.api.changePassword({
      body: { ...passwords, revokeOtherSessions: true },
      headers: credentialHeaders(deps),
      returnHeaders: true,
    }),
  );
  // After the sessions, with one of which a token could otherwise be made in between.
  await inTransaction({ db: deps.db }, async trx => {
    await endTokens(trx, userId);
    await disconnect(trx, userId);
    await recordHistory(trx, deps, { kind: 'password-changed', user: await namedAccount(trx, userId) });
  });
  handOver(headers, deps);
}

/**
 * Mails a one-time link to the account with this address; does nothing that shows when there is none. Asked for again
 * within minutes, the link that is on its way already is enough.
 */
export async function requestReset(
  { auth, db, clock }: Pick<Deps, 'auth' | 'db' | 'clock'>,
  email: string,
): Promise<void> {
  const onItsWay = await db
    .selectFrom('users')
    .innerJoin('mails', 'mails.user_id', 'users.id')
    .innerJoin('verifications', 'verifications.value', 'users.id')
    .select('mails.id')
    .where('users.email', '=', email)
    .where('mails.kind', '=', 'reset')
    .where('mails.state', 'in', ['queued', 'sent'])
    .where('mails.created_at', '>', clock() - resendMs)
    .limit(1)
    .executeTakeFirst();
  if (onItsWay === undefined) await translated(auth.api.requestPasswordReset({ body: { email } }));
}

/** A mail with a link that sets a password is not sent again within this time, in milliseconds. */
const resendMs = 5 * 60_000;
/** Tells the token of a link that an admin was given from one that was mailed. */
const handedPrefix = 'handed-';
const resetIdentifier = (token: string) => `reset-password:${token}`;

/**
 * Sets a password with a one-time token; every session ends. Whoever has the token from a mail has shown that they read
 * the mailbox. Throws failed-precondition for a token that was used.
 */
export async function resetPassword(
  resetting: Pick<Invocation, 'auth' | 'db' | 'config' | 'clock' | 'by'>,
  token: string,
  password: string,
): Promise<void> {
  const { auth, db, config } = resetting;
  const { internalAdapter } = await auth.$context;
  const link = await internalAdapter.findVerificationValue(resetIdentifier(token));
  await translated(auth.api.resetPassword({ body: { token, newPassword: password } }));
  const wasMailed = config.smtpUrl !== undefined && !token.startsWith(handedPrefix);
  if (link === null) return;
  await inTransaction({ db }, async trx => {
    // The link would have ended, had the account another address than the one that it was mailed to.
    if (wasMailed)
      await trx.updateTable('users').set({ email_verified: true }).where('id', '=', link.value).execute();
    await recordHistory(trx, resetting, {
      kind: 'password-reset',
      user: await namedAccount(trx, link.value),
    });
  });
}

/** A one-time link that sets a new password, for who administers a site without mail. It works for an hour. */
export async function resetLink(
  making: Pick<Invocation, 'auth' | 'config' | 'db' | 'clock' | 'by'>,
  userId: string,
): Promise<string> {
  const { auth, config, db } = making;
  const token = handedPrefix + randomBytes(24).toString('base64url');
  const { internalAdapter } = await auth.$context;
  await inTransaction({ db }, async trx =>
    recordHistory(trx, making, { kind: 'reset-link-made', user: await namedAccount(trx, userId) }),
  );
  await internalAdapter.createVerificationValue({
    identifier: resetIdentifier(token),
    value: userId,
    expiresAt: new Date(Date.now() + 3_600_000),
  });
  return `${config.publicUrl}/reset-password?token=${token}`;
}

function handOver(from: Headers, { request, reply }: RequestDeps): void {
  copyCookies(from, reply);
  // A program has no use for a cookie; it sends this token as a bearer token. A browser, which says where a request comes
  // from, keeps the cookie out of the reach of scripts: so must be what is in it.
  const isBrowser = request.has('origin') || request.has('sec-fetch-site');
  const token = from.get('set-auth-token');
  if (token !== null && !isBrowser) reply.set('set-auth-token', token);
}

function wrongCredentials(): AppError {
  return new AppError('unauthenticated', 'Invalid email or password.');
}

async function translated<T>(answer: Promise<T>): Promise<T> {
  try {
    return await unwrapOutage(answer);
  } catch (error) {
    if (!(error instanceof APIError)) throw error;
    switch (error.body?.code) {
      case 'USER_ALREADY_EXISTS':
      case 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL':
        throw new AppError('already-exists', 'An account with this email address already exists.', {
          fields: { email: 'An account with this email address already exists.' },
        });
      case 'USERNAME_IS_ALREADY_TAKEN':
        throw new AppError('already-exists', 'This username is already taken.', {
          fields: { username: 'This username is already taken.' },
        });
      case 'INVALID_EMAIL_OR_PASSWORD':
      case 'INVALID_EMAIL':
        throw wrongCredentials();
      case 'INVALID_PASSWORD':
        throw new AppError('invalid-argument', 'Wrong password.', {
          fields: { currentPassword: 'Wrong password.' },
        });
      case 'INVALID_TOKEN':
      case 'TOKEN_EXPIRED':
      case 'USER_NOT_FOUND':
      case 'INVALID_USER':
        throw new AppError('failed-precondition', 'This link is no longer valid. Please request a new one.');
      default:
        if (error.statusCode >= 500) throw error;
        throw new AppError('invalid-argument', error.message);
    }
  }
}
