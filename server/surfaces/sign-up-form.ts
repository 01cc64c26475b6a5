import type { Hono } from 'hono';
import { AppError } from '../../contract/errors.ts';
import type { Deps } from '../deps.ts';
import type { RequestVariables } from '../http/request.ts';
import { backToForm } from './account-form.ts';
import { invokeForForm, readNativeForm } from './native-form.ts';

/**
 * `POST /signup`: the sign-up form as a browser sends it without scripts. Leads to the timeline; a refusal leads back
 * to the page, which shows the reason. It has no ticket, because the page is the same for all visitors.
 */
export function signUpFormSurface(app: Hono<RequestVariables>, deps: Deps): void {
  app.post('/signup', async c => {
    const form = await readNativeForm(c);
    const typed = (name: string) => form.get(name) ?? '';
    try {
      await invokeForForm(c, deps, 'signUp', {
        username: typed('username'),
        name: typed('name'),
        email: typed('email'),
        password: typed('password'),
        introduction: typed('introduction'),
        website: typed('website'),
      });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return c.redirect(backToForm('/signup', {}, form, error), 303);
    }
    return c.redirect('/', 303);
  });
}
