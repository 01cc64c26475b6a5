import type { Hono } from 'hono';
import { AppError } from '../../contract/errors.ts';
import { nextPath } from '../../contract/next-path.ts';
import type { Sessions } from '../accounts/sessions.ts';
import type { Deps } from '../deps.ts';
import { inTime, peerOf } from '../http/connections.ts';
import type { RequestVariables } from '../http/request.ts';
import { invoke } from '../operations.ts';

/** An address and a password, with room for every character to be escaped. */
const maxBodyBytes = 4_096;

/**
 * `POST /login`: the log-in form as a browser sends it by itself, without scripts or before they run. Leads on like the
 * page does; what was refused, back to the page, which says so.
 */
export function loginFormSurface(app: Hono<RequestVariables>, deps: Deps, sessions: Sessions): void {
  app.post('/login', async c => {
    c.header('cache-control', 'no-store');
    const request = c.req.raw.headers;
    // A form can be sent from anywhere, so a browser has to say from where; `guardWrites` has read what it says.
    if (!request.has('origin') && !request.has('sec-fetch-site')) {
      throw new AppError(
        'permission-denied',
        'This request does not say where it comes from: it has no Origin.',
      );
    }
    if (!(Number(request.get('content-length') ?? Number.NaN) <= maxBodyBytes)) {
      throw new AppError('invalid-argument', 'Bad Request');
    }
    const form = new URLSearchParams(await inTime(c.req.text()));
    const input = { email: form.get('email') ?? '', password: form.get('password') ?? '' };
    const next = nextPath(c.req.query('next') ?? null);
    const reply = new Headers();
    try {
      const who = await sessions.identify(request, reply);
      await invoke('signIn', input, { ...deps, ...who, request, reply, peer: peerOf(c, deps.config) });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const isRefused = error.code === 'unauthenticated' || error.code === 'invalid-argument';
      const back = new URLSearchParams({
        failed: isRefused ? 'refused' : 'later',
        ...(next !== '/' && { next }),
      });
      return c.redirect(`/login?${back}`, 303);
    }
    for (const [header, value] of reply) c.header(header, value, { append: true });
    return c.redirect(next, 303);
  });
}
