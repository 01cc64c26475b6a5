import type { Hono } from 'hono';
import { AppError, isCodeAsked } from '../../contract/errors.ts';
import { nextPath } from '../../contract/next-path.ts';
import type { Deps } from '../deps.ts';
import type { RequestVariables } from '../http/request.ts';
import { codePage } from './login-code-form.ts';
import { invokeForForm, readNativeForm } from './native-form.ts';

/**
 * `POST /login`: the log-in form as a browser sends it without scripts or before they run. Leads to the same address as
 * the page does; a refusal leads back to the page, which shows the reason.
 */
export function loginFormSurface(app: Hono<RequestVariables>, deps: Deps): void {
  app.post('/login', async c => {
    const form = await readNativeForm(c);
    const input = {
      email: form.get('email') ?? '',
      password: form.get('password') ?? '',
      keepSignedIn: form.has('keepSignedIn'),
    };
    const next = nextPath(c.req.query('next') ?? null);
    try {
      await invokeForForm(c, deps, 'signIn', input);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (isCodeAsked(error)) return c.redirect(codePage(next), 303);
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
