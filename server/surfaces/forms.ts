import type { Context, Hono } from 'hono';
import { AppError, type ErrorCode, isCodeAsked } from '../../contract/errors.ts';
import { nextPath } from '../../contract/next-path.ts';
import type { Input, OperationName } from '../../contract/operations.ts';
import type { Deps } from '../deps.ts';
import { readBody } from '../http/body.ts';
import type { RequestVariables } from '../http/request.ts';
import { invoke } from '../operations.ts';

/** Enough for the fields of our forms with every character escaped, in bytes. */
const maxBodyBytes = 8_192;

/**
 * The fields that a page about a new account shows again. Never a password, and not the introduction: text
 * for the admins must not be in an address.
 */
const accountFields = ['username', 'name', 'email'];

type SentForm = {
  has(name: string): boolean;
  /** The value of a field; empty without it. */
  text(name: string): string;
  optional(name: string): string | undefined;
  token: string | undefined;
  /** Where to go afterwards. */
  next: string;
  call<Name extends OperationName>(name: Name, input: Input<Name>): Promise<unknown>;
};

type Refusals = {
  /** Reason codes of this page that replace those below. */
  reasons?: Partial<Record<ErrorCode, string>>;
  /** Fields whose values go back to the page. */
  shownAgain?: readonly string[];
};

/**
 * The forms of the pages that begin a session, as a browser sends them without scripts or before they run.
 * Each redirects to the same address as its page does; a refusal redirects back to the page, which shows the
 * reason.
 */
export function formsSurface(app: Hono<RequestVariables>, deps: Deps): void {
  const post = (path: string, refusals: Refusals, act: (form: SentForm) => Promise<string>) =>
    app.post(path, async c => c.redirect(await answer(c, deps, path, act, refusals), 303));

  post('/login', { reasons: { unauthenticated: 'refused' } }, async ({ text, has, next, call }) => {
    const keepSignedIn = has('keepSignedIn');
    await call('signIn', { email: text('email'), password: text('password'), keepSignedIn });
    return next;
  });
  post('/login/code', {}, async ({ text, next, call }) => {
    await call('signInWithCode', { code: text('code') });
    return next;
  });
  // The two forms of the sign-in link: without a token it is requested, with one it signs in.
  post('/sign-in', {}, async ({ text, has, token, next, call }) => {
    if (token === undefined) {
      await call('requestSignInLink', { email: text('email'), next });
      return addressOf('/sign-in', { done: 'sent' }, next);
    }
    await call('signInByLink', { token, keepSignedIn: has('keepSignedIn') });
    return next;
  });
  // It has no ticket, because the page is the same for all visitors.
  post('/signup', { shownAgain: accountFields }, async ({ text, call }) => {
    await call('signUp', {
      username: text('username'),
      name: text('name'),
      email: text('email'),
      password: text('password'),
      introduction: text('introduction'),
      website: text('website'),
    });
    return '/';
  });
  // The two forms of an invitation: for the account that is signed in, or for a new one.
  post('/invite', { shownAgain: accountFields }, async ({ text, has, optional, token = '', call }) => {
    if (has('ownAccount')) {
      await call('acceptInvitation', { token });
      return '/';
    }
    await call('joinByInvitation', {
      token,
      username: text('username'),
      name: text('name'),
      email: optional('email'),
      password: optional('password'),
    });
    return '/';
  });
}

/** The address of the page that asks for a code, with the address to go to afterwards. */
export function codePage(next: string): string {
  return addressOf('/login/code', {}, next);
}

/** Handles a form, and returns the address to redirect to. */
async function answer(
  c: Context<RequestVariables>,
  deps: Deps,
  path: string,
  act: (form: SentForm) => Promise<string>,
  { reasons, shownAgain = [] }: Refusals,
): Promise<string> {
  const form = await readForm(c);
  const next = nextPath(c.req.query('next') ?? null);
  const token = c.req.query('token');
  const optional = (name: string) => form.get(name) ?? undefined;
  try {
    return await act({
      has: name => form.has(name),
      text: name => form.get(name) ?? '',
      optional,
      token,
      next,
      call: async (name, input) => await invoke(name, input, await c.var.requestIdentity.invocation(deps)),
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (isCodeAsked(error)) return codePage(next);
    const failed = reasons?.[error.code] ?? reasonOf(error);
    const typed = Object.fromEntries(shownAgain.map(name => [name, optional(name)]));
    return addressOf(path, { token, failed, ...typed }, next);
  }
}

/**
 * The fields of a form that a browser sends without scripts. Any page could send such a form, so the browser
 * must name the origin, which `guardWrites` has checked.
 */
async function readForm(c: Context<RequestVariables>): Promise<URLSearchParams> {
  c.header('cache-control', 'no-store');
  const { headers } = c.req.raw;
  if (!headers.has('origin') && !headers.has('sec-fetch-site')) {
    throw new AppError('permission-denied', 'This request has no Origin header.');
  }
  // A configured origin may call operations, but not send these forms, which begin sessions.
  c.var.requestIdentity.refuseElsewhere();
  return new URLSearchParams(await readBody(c, maxBodyBytes));
}

/** A path with the non-empty parameters, and where to go afterwards if that is not the timeline. */
function addressOf(path: string, query: Record<string, string | undefined>, next: string): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, next: next === '/' ? undefined : next })) {
    if (value !== undefined) search.set(name, value);
  }
  return search.size === 0 ? path : `${path}?${search}`;
}

/**
 * A reason code for which the page has a sentence. The address contains no sentence, because anybody could
 * make a link with one.
 */
function reasonOf({ code, details }: AppError): string {
  const field = Object.keys(details?.fields ?? {})[0];
  if (code === 'already-exists') return `taken-${field ?? 'email'}`;
  if (code === 'invalid-argument') return field === 'introduction' ? 'introduction' : 'refused';
  // Unauthenticated: there is no pending sign-in any more.
  return code === 'failed-precondition' || code === 'unauthenticated' ? 'over' : 'later';
}
