import type { Context, Hono } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { AppError, isCodeAsked } from '../../contract/errors.ts';
import { nextPath } from '../../contract/next-path.ts';
import { limitTries } from '../accounts/sign-in-limits.ts';
import type { Deps } from '../deps.ts';
import type { RequestVariables } from '../http/request.ts';
import { connect, enter } from '../openid/enter.ts';
import { flowCookie, flowOf, flowText } from '../openid/flow.ts';
import { callbackPath } from '../openid/provider.ts';
import { codePage } from './login-code-form.ts';

type OpenidContext = Context<RequestVariables>;

/**
 * `GET /login/openid` leads to the provider, and `GET /login/openid/callback` back from it: signed in, or with an account
 * that is connected from now on. Both are links and redirects, so they work without scripts. What fails leads back to the
 * page where it began, which says so.
 */
export function openidSurface(app: Hono<RequestVariables>, deps: Deps): void {
  const { openid } = deps;
  if (openid === undefined) return;
  app.use('/login/openid/*', async (c, next) => {
    c.header('cache-control', 'no-store');
    await next();
  });
  app.get('/login/openid', async c => {
    c.header('cache-control', 'no-store');
    // Another site's page may not begin what ends with somebody signed in here.
    if (c.var.asker.isElsewhere) {
      throw new AppError('permission-denied', 'This request comes from another site.');
    }
    try {
      await limitTries({ ...deps, peer: c.var.asker.peer }, 'openid from', 120);
      const next = nextPath(c.req.query('next') ?? null);
      const { url, flow } = await openid.begin({ next, sessionId: null });
      const { name, options } = flowCookie(deps.config);
      setCookie(c, name, flowText(flow), options);
      return c.redirect(url.href, 303);
    } catch (error) {
      return sendBack(c, error, null);
    }
  });
  app.get(callbackPath, async c => {
    const { name, options } = flowCookie(deps.config);
    const flow = flowOf(getCookie(c, name));
    deleteCookie(c, name, options);
    if (flow === undefined) return c.redirect('/login?failed=openid', 303);
    try {
      const person = await openid.finish(new URL(c.req.url).search, flow);
      const { asker } = c.var;
      const { reply, peer } = asker;
      const invocation = { ...deps, ...(await asker.identify()), request: c.req.raw.headers, reply, peer };
      if (flow.sessionId === null) await enter(invocation, person);
      else await connect(invocation, person, flow.sessionId);
      return c.redirect(flow.sessionId === null ? flow.next : '/account?done=connected', 303);
    } catch (error) {
      if (isCodeAsked(error)) return c.redirect(codePage(flow.next), 303);
      return sendBack(c, error, flow.sessionId);
    }
  });
}

/** A word that the page has a sentence for: a sentence in an address could be anybody's. */
const reasons: Partial<Record<AppError['code'], string>> = {
  cancelled: 'openid-cancelled',
  unavailable: 'openid-away',
  'already-exists': 'openid-taken',
  'failed-precondition': 'openid-address',
  'resource-exhausted': 'later',
};

function sendBack(c: OpenidContext, error: unknown, sessionId: string | null): Response {
  if (!(error instanceof AppError)) throw error;
  c.var.log.warn({ err: error }, 'a sign-in with the OpenID provider failed');
  const page = sessionId === null ? '/login' : '/account';
  return c.redirect(`${page}?failed=${reasons[error.code] ?? 'openid'}`, 303);
}
