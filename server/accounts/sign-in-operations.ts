import type { signInOperations } from '../../contract/accounts/sign-in.ts';
import { AppError, isCodeAsked } from '../../contract/errors.ts';
import { describeUser, describeViewer } from '../access/viewer.ts';
import type { Handlers } from '../deps.ts';
import { sendConfirmation } from './email.ts';
import { describeSetup, setUpSite } from './setup.ts';
import { signIn, signOut, signUp } from './sign-in.ts';
import { limitSignIn, limitTries } from './sign-in-limits.ts';
import { limitSignUp, signUpTicket } from './sign-up-limits.ts';
import { describeSignedOut } from './signed-out.ts';

export const signInHandlers: Handlers<typeof signInOperations> = {
  getViewer: async ({ viewer }) => describeViewer(viewer),
  getSignUpTicket: async deps => ({ ticket: signUpTicket(deps) }),
  signUp: async (deps, { ticket, website, ...account }) => {
    await limitSignUp(deps, { ticket, website });
    const id = await signUp(deps, account);
    await sendConfirmation(deps, id);
    return await describeUser(deps, id);
  },
  signIn: async (deps, { keepSignedIn: isLong, ...credentials }) => {
    const answer = await limitSignIn(deps, credentials.email, async () => {
      try {
        return await describeUser(deps, await signIn(deps, { ...credentials, isLong }));
      } catch (error) {
        // The password was right.
        if (error instanceof AppError && isCodeAsked(error)) return error;
        throw error;
      }
    });
    if (answer instanceof AppError) throw answer;
    return answer;
  },
  signOut: async deps => {
    await signOut(deps);
    return await describeSignedOut(deps);
  },
  getSetup: async (deps, { token }) => await describeSetup(deps, token),
  setUpSite: async (deps, { token, account }) => {
    await limitTries(deps, 'set-up', 50);
    return await describeUser(deps, await setUpSite(deps, token, account));
  },
};
