import type { Hono } from 'hono';
import { AppError } from '../../contract/errors.ts';
import { nextPath } from '../../contract/next-path.ts';
import type { Deps } from '../deps.ts';
import type { RequestVariables } from '../http/request.ts';
import { invokeForForm, readNativeForm } from './native-form.ts';

/** The address of the page that asks for a code, with the address to go to afterwards. */
export function codePage(next: string, query: Record<string, string> = {}): string {
  const search = new URLSearchParams({ ...query, ...(next !== '/' && { next }) });
  return `/login/code${search.size === 0 ? '' : `?${search}`}`;
}

/** `POST /login/code`: the form for the code as a browser sends it without scripts. A refusal leads back to the page. */
export function loginCodeFormSurface(app: Hono<RequestVariables>, deps: Deps): void {
  app.post('/login/code', async c => {
    const form = await readNativeForm(c);
    const next = nextPath(c.req.query('next') ?? null);
    try {
      await invokeForForm(c, deps, 'signInWithCode', { code: form.get('code') ?? '' });
      return c.redirect(next, 303);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return c.redirect(codePage(next, { failed: reasonOf(error) }), 303);
    }
  });
}

/**
 * A reason code for which the page has a sentence. The address holds no sentence, because anybody could make a link
 * with one.
 */
function reasonOf({ code }: AppError): string {
  if (code === 'invalid-argument') return 'refused';
  return code === 'failed-precondition' || code === 'unauthenticated' ? 'over' : 'later';
}
