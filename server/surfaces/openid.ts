import type { Context, Hono } from 'hono';
import { AppError, isCodeAsked } from '../../contract/errors.ts';
import { nextPath } from '../../contract/next-path.ts';
import { keepFlow, takeFlow } from '../accounts/openid/flow.ts';
import { callbackPath } from '../accounts/openid/provider.ts';
import { confirm, connect, signInByProvider } from '../accounts/openid/sign-in-by-provider.ts';
import { limitTries } from '../accounts/sign-in/sign-in-limits.ts';
import type { Deps } from '../deps.ts';
import type { RequestVariables } from '../http/request.ts';
import { codePage } from './forms.ts';

/**
 * `GET /login/openid` redirects to the provider, and `GET /login/openid/callback` back from it: to sign in,
 * to connect an account, or to confirm an identity. Both work without scripts. A failure redirects back to
 * the page where it began, which shows the reason.
 */
export function openidSurface(app: Hono<RequestVariables>, deps: Deps): void {
  const { openid } = deps;
  if (openid === undefined) return;
  // This pattern also matches `/login/openid` itself.
  app.use('/login/openid/*', async (c, next) => {
    await deps.limits.countVisit(c.var.requestIdentity.network);
    c.header('cache-control', 'no-store');
    await next();
  });
  app.get('/login/openid', async c => {
    // A page of another site may not begin a sign-in here.
    c.var.requestIdentity.refuseElsewhere();
    const next = nextPath(c.req.query('next') ?? null);
    try {
      await limitTries({ ...deps, network: c.var.requestIdentity.network }, 'openid', 120);
      const { url, flow } = await openid.begin(
        c.req.query('confirm') === undefined
          ? { kind: 'sign-in', next, isLong: c.req.query('keep') !== 'no' }
          : { kind: 'confirm', sessionId: await sessionOf(c) },
      );
      keepFlow(
        { ...deps, requestHeaders: c.req.raw.headers, replyHeaders: c.var.requestIdentity.replyHeaders },
        flow,
      );
      return c.redirect(url.href, 303);
    } catch (error) {
      return sendBack(c, error, c.req.query('confirm') === undefined ? '/login' : '/account');
    }
  });
  app.get(callbackPath, async c => {
    const { replyHeaders } = c.var.requestIdentity;
    const flow = takeFlow({ ...deps, requestHeaders: c.req.raw.headers, replyHeaders }, c.req.query('state'));
    if (flow === undefined) return c.redirect('/login?failed=openid', 303);
    const { purpose } = flow;
    try {
      // Anybody can write the cookie of a sign-in, and each request from here on makes this server contact
      // the provider.
      await limitTries({ ...deps, network: c.var.requestIdentity.network }, 'openid answer', 120);
      const person = await openid.finish(new URL(c.req.url).search, flow);
      const invocation = await c.var.requestIdentity.invocation(deps);
      switch (purpose.kind) {
        case 'sign-in':
          await signInByProvider(invocation, person, purpose);
          return c.redirect(nextPath(purpose.next), 303);
        case 'connect':
          await connect(invocation, person, purpose.sessionId);
          return c.redirect('/account?done=connected', 303);
        case 'confirm':
          await confirm(invocation, person, purpose.sessionId);
          return c.redirect('/account?done=confirmed', 303);
      }
    } catch (error) {
      if (isCodeAsked(error))
        return c.redirect(codePage(purpose.kind === 'sign-in' ? purpose.next : '/account'), 303);
      return sendBack(c, error, purpose.kind === 'sign-in' ? '/login' : '/account');
    }
  });
}

/** The session of the request. Throws unauthenticated if there is none. */
async function sessionOf(c: Context<RequestVariables>): Promise<string> {
  const { credential } = await c.var.requestIdentity.identify();
  if (credential?.kind !== 'session') throw new AppError('unauthenticated', 'Please log in first.');
  return credential.id;
}

/**
 * Reason codes for which the page has a sentence. The address contains no sentence, because anybody could
 * make a link with one.
 */
const reasons: Partial<Record<AppError['code'], string>> = {
  cancelled: 'openid-cancelled',
  unavailable: 'openid-away',
  'already-exists': 'openid-taken',
  'failed-precondition': 'openid-address',
  'resource-exhausted': 'later',
};

function sendBack(c: Context<RequestVariables>, error: unknown, page: '/login' | '/account'): Response {
  if (!(error instanceof AppError)) throw error;
  // A refusal by a limit is not logged, so that nobody can fill the log.
  if (error.code !== 'resource-exhausted') {
    c.var.log.warn({ err: error }, 'a sign-in with the OpenID provider failed');
  }
  const reason = error.details?.asks === 'recent-sign-in' ? 'openid-recent' : reasons[error.code];
  return c.redirect(`${page}?failed=${reason ?? 'openid'}`, 303);
}
