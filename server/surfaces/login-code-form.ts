import type { Hono } from 'hono';
import { AppError } from '../../contract/errors.ts';
import { nextPath } from '../../contract/next-path.ts';
import type { Deps } from '../deps.ts';
import type { RequestVariables } from '../http/request.ts';
import { invokeForForm, readNativeForm } from './native-form.ts';

/** Where a sign-in goes on that needs a code, and where it leads then. */
export function codePage(next: string, query: Record<string, string> = {}): string {
  const search = new URLSearchParams({ ...query, ...(next !== '/' && { next }) });
  return `/login/code${search.size === 0 ? '' : `?${search}`}`;
}

/** `POST /login/code`: the form for the code as a browser sends it by itself. What was refused leads back to it. */
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

/** A word that the page has a sentence for: a sentence in an address could be anybody's. */
function reasonOf({ code }: AppError): string {
  if (code === 'invalid-argument') return 'refused';
  return code === 'failed-precondition' || code === 'unauthenticated' ? 'over' : 'later';
}
