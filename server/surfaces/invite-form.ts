import type { Hono } from 'hono';
import { AppError } from '../../contract/errors.ts';
import type { Deps } from '../deps.ts';
import type { RequestVariables } from '../http/request.ts';
import { invokeForForm, readNativeForm } from './native-form.ts';

/** What the page is given back to show again; a password never. */
const shownAgain = ['username', 'name', 'email'];

/**
 * `POST /invite?token=`: the form of an invitation as a browser sends it by itself. Leads to the timeline; what was refused,
 * back to the page, which says so and holds what was typed.
 */
export function inviteFormSurface(app: Hono<RequestVariables>, deps: Deps): void {
  app.post('/invite', async c => {
    const form = await readNativeForm(c);
    const token = c.req.query('token') ?? '';
    const optional = (name: string) => form.get(name) ?? undefined;
    try {
      await invokeForForm(c, deps, 'joinByInvitation', {
        token,
        username: form.get('username') ?? '',
        name: form.get('name') ?? '',
        email: optional('email'),
        password: optional('password'),
      });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const back = new URLSearchParams({ token, failed: reasonOf(error) });
      for (const name of shownAgain) {
        const value = form.get(name);
        if (value !== null) back.set(name, value);
      }
      return c.redirect(`/invite?${back}`, 303);
    }
    return c.redirect('/', 303);
  });
}

/** A word that the page has a sentence for: a sentence in an address could be anybody's. */
function reasonOf({ code, details }: AppError): string {
  if (code === 'already-exists') return `taken-${Object.keys(details?.fields ?? {})[0] ?? 'email'}`;
  return code === 'invalid-argument' ? 'refused' : code === 'failed-precondition' ? 'over' : 'later';
}
