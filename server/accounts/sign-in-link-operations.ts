import type { signInLinkOperations } from '../../contract/accounts/sign-in-link.ts';
import { AppError } from '../../contract/errors.ts';
import { nextPath } from '../../contract/next-path.ts';
import { describeUser } from '../access/viewer.ts';
import type { Handlers } from '../deps.ts';
import { inConstantTime } from './constant-time.ts';
import { limitMailTo, limitTries } from './sign-in-limits.ts';
import { describeSignInLink, requestSignInLink, signInByLink } from './sign-in-link.ts';

export const signInLinkHandlers: Handlers<typeof signInLinkOperations> = {
  requestSignInLink: async (deps, { email, next }) => {
    if (deps.mail.kind !== 'smtp') {
      throw new AppError('failed-precondition', 'This site does not send email. Please use your password.');
    }
    await limitMailTo(deps, 'sign-in link', email);
    await inConstantTime(deps, () =>
      requestSignInLink(deps, { email, ...(next !== undefined && { next: nextPath(next) }) }),
    );
    return {};
  },
  getSignInLink: async (deps, { token }) => ({ link: await describeSignInLink(deps, token) }),
  signInByLink: async (deps, { token, keepSignedIn }) => {
    await limitTries(deps, 'sign-in link', 50);
    const userId = await signInByLink(deps, { token, isLong: keepSignedIn });
    return await describeUser(deps, userId);
  },
};
