import { APIError } from 'better-auth/api';
import { AppError } from '../../contract/errors.ts';
import type { NewAccount } from '../../contract/members.ts';
import type { Auth } from '../access/auth.ts';
import { copyCookies } from '../access/sessions.ts';

/** Where the answers of better-auth go: the account it concerns, and headers for the browser. */
type Exchange = { auth: Auth; request: Headers; reply: Headers };

/**
 * Creates an account, pending approval, and signs it in. Returns its id. Throws already-exists when the username or the
 * address is taken.
 */
export async function signUp({ auth, request, reply }: Exchange, account: NewAccount): Promise<string> {
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
  return response.user.id;
}

/** Starts a session. Returns the account's id. Throws unauthenticated, the same for an unknown address and a wrong password. */
export async function signIn(
  { auth, request, reply }: Exchange,
  credentials: { email: string; password: string },
): Promise<string> {
  const { headers, response } = await translated(
    auth.api.signInEmail({ body: credentials, headers: request, returnHeaders: true }),
  );
  handOver(headers, reply);
  return response.user.id;
}

/** Ends the session of the request, if there is one. */
export async function signOut({ auth, request, reply }: Exchange): Promise<void> {
  const { headers } = await translated(auth.api.signOut({ headers: request, returnHeaders: true }));
  copyCookies(headers, reply);
}

function handOver(from: Headers, reply: Headers): void {
  copyCookies(from, reply);
  // A program has no use for a cookie; it sends this token as a bearer token.
  const token = from.get('set-auth-token');
  if (token !== null) reply.set('set-auth-token', token);
}

async function translated<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
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
      default:
        if (error.statusCode >= 500) throw error;
        throw new AppError('invalid-argument', error.message);
    }
  }
}
