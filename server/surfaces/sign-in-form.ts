import type { Hono } from 'hono';
import { AppError, isCodeAsked } from '../../contract/errors.ts';
import { nextPath } from '../../contract/next-path.ts';
import type { Deps } from '../deps.ts';
import type { RequestVariables } from '../http/request.ts';
import { codePage } from './login-code-form.ts';
import { invokeForForm, readNativeForm } from './native-form.ts';

/**
 * `POST /sign-in`: the two forms of the sign-in link as a browser sends them without scripts. Without a token the form
 * requests a link; with one it signs in and leads on. A refusal leads back to the page, which shows the reason.
 */
export function signInFormSurface(app: Hono<RequestVariables>, deps: Deps): void {
  app.post('/sign-in', async c => {
    const form = await readNativeForm(c);
    const next = nextPath(c.req.query('next') ?? null);
    const token = c.req.query('token');
    const back = (query: Record<string, string>) => {
      const search = new URLSearchParams({
        ...(token !== undefined && { token }),
        ...query,
        ...(next !== '/' && { next }),
      });
      return c.redirect(`/sign-in?${search}`, 303);
    };
    try {
      if (token === undefined) {
        await invokeForForm(c, deps, 'requestSignInLink', { email: form.get('email') ?? '', next });
        return back({ done: 'sent' });
      }
      await invokeForForm(c, deps, 'signInByLink', { token, keepSignedIn: form.has('keepSignedIn') });
      return c.redirect(next, 303);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (isCodeAsked(error)) return c.redirect(codePage(next), 303);
      return back({ failed: reasonOf(error) });
    }
  });
}

/**
 * A reason code for which the page has a sentence. The address holds no sentence, because anybody could make a link
 * with one.
 */
function reasonOf({ code }: AppError): string {
  return code === 'invalid-argument' ? 'refused' : code === 'failed-precondition' ? 'over' : 'later';
}
