import type { Hono } from 'hono';
import { AppError } from '../../contract/errors.ts';
import type { Deps } from '../deps.ts';
import type { RequestVariables } from '../http/request.ts';
import { backToForm } from './account-form.ts';
import { invokeForForm, readNativeForm } from './native-form.ts';

/**
 * `POST /invite?token=`: the form of an invitation as a browser sends it without scripts. Leads to the timeline; a
 * refusal leads back to the page, which shows the reason and what was typed.
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
      return c.redirect(backToForm('/invite', { token }, form, error), 303);
    }
    return c.redirect('/', 303);
  });
}
