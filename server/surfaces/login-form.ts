import type { Hono } from 'hono';
import { AppError } from '../../contract/errors.ts';
import { nextPath } from '../../contract/next-path.ts';
import type { Deps } from '../deps.ts';
import { readBody } from '../http/body.ts';
import type { RequestVariables } from '../http/request.ts';
import { invoke } from '../operations.ts';

/** An address and a password, with room for every character to be escaped. */
const maxBodyBytes = 4_096;

/**
 * `POST /login`: the log-in form as a browser sends it by itself, without scripts or before they run. Leads on like the
 * page does; what was refused, back to the page, which says so.
 */
export function loginFormSurface(app: Hono<RequestVariables>, deps: Deps): void {
  app.post('/login', async c => {
    c.header('cache-control', 'no-store');
    const request = c.req.raw.headers;
    // A form can be sent from anywhere, so a browser has to say from where; `guardWrites` has read what it says.
    if (!request.has('origin') && !request.has('sec-fetch-site')) {
      throw new AppError('permission-denied', 'This request has no Origin header.');
    }
    const form = new URLSearchParams(await readBody(c, maxBodyBytes));
    const input = { email: form.get('email') ?? '', password: form.get('password') ?? '' };
    const next = nextPath(c.req.query('next') ?? null);
    const { asker } = c.var;
    const { peer, reply } = asker;
    try {
      await invoke('signIn', input, { ...deps, ...(await asker.identify()), request, reply, peer });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const isRefused = error.code === 'unauthenticated' || error.code === 'invalid-argument';
      const back = new URLSearchParams({
        failed: isRefused ? 'refused' : 'later',
        ...(next !== '/' && { next }),
      });
      return c.redirect(`/login?${back}`, 303);
    }
    return c.redirect(next, 303);
  });
}
