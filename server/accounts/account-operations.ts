import type { accountOperations } from '../../contract/accounts/account.ts';
import { fieldError } from '../../contract/errors.ts';
import { accountOf, describeUser } from '../access/viewer.ts';
import type { Handlers, Invocation } from '../deps.ts';
import { inConstantTime } from './constant-time.ts';
import { changeEmail, confirmEmail, describeLink, sendConfirmation } from './email.ts';
import { requestReset, resetPassword } from './password-reset.ts';
import { askRecentSignIn, changePassword, hasPassword, setFirstPassword } from './passwords.ts';
import { asksForCode } from './pending-sign-in.ts';
import { changeName, deleteAccount, endSession, exportAccount, getAccount } from './profile.ts';
import { signOutEverywhere } from './sign-in.ts';
import {
  limitConfirmation,
  limitMailByStrangers,
  limitMailTo,
  limitSignIn,
  limitTries,
} from './sign-in-limits.ts';
import { describeSignedOut } from './signed-out.ts';

const describeSelf = (deps: Invocation) => describeUser(deps, accountOf(deps.viewer).id);

/**
 * The old password counts as a recent sign-in, except for an account with a second factor. The limits on guessing are those of
 * the login form, so that an open session gives no more tries.
 */
async function changeOrSetPassword(
  deps: Invocation,
  { currentPassword, newPassword }: { currentPassword?: string | undefined; newPassword: string },
): Promise<void> {
  const { id, email } = accountOf(deps.viewer);
  if (!(await hasPassword(deps.db, id))) return await setFirstPassword(deps, id, newPassword);
  if (currentPassword === undefined) {
    throw fieldError('currentPassword', 'Please enter your password.');
  }
  if (await asksForCode(deps.db, id)) await askRecentSignIn(deps);
  await limitSignIn(deps, email, () => changePassword(deps, id, { currentPassword, newPassword }));
}

export const accountHandlers: Handlers<typeof accountOperations> = {
  getAccount: async deps => await getAccount(deps, accountOf(deps.viewer).id, deps.credential),
  changeName: async (deps, { name }) => {
    await changeName(deps, accountOf(deps.viewer).id, name);
    return await describeSelf(deps);
  },
  changePassword: async (deps, passwords) => {
    await changeOrSetPassword(deps, passwords);
    return await describeSelf(deps);
  },
  changeEmail: async (deps, { email }) => {
    await askRecentSignIn(deps);
    await limitConfirmation(deps, accountOf(deps.viewer).id);
    if (deps.viewer.role === 'visitor') await limitMailByStrangers(deps, email);
    await inConstantTime(deps, () => changeEmail(deps, accountOf(deps.viewer).id, email));
    return {};
  },
  sendConfirmation: async deps => {
    const { id } = accountOf(deps.viewer);
    await limitConfirmation(deps, id);
    await sendConfirmation(deps, id);
    return {};
  },
  getEmailLink: async (deps, { token }) => ({ link: await describeLink(deps, token) }),
  confirmEmail: async (deps, { token }) => {
    await limitTries(deps, 'confirmation', 50);
    await confirmEmail(deps, token);
    return {};
  },
  requestPasswordReset: async (deps, { email }) => {
    await limitMailTo(deps, 'reset', email);
    await inConstantTime(deps, () => requestReset(deps, email));
    return {};
  },
  resetPassword: async (deps, { token, password }) => {
    await limitTries(deps, 'new password', 50);
    await resetPassword(deps, token, password);
    return {};
  },
  endSession: async (deps, { sessionId }) => {
    await endSession(deps, accountOf(deps.viewer).id, sessionId);
    return {};
  },
  signOutEverywhere: async deps => {
    await signOutEverywhere(deps, accountOf(deps.viewer).id);
    return await describeSignedOut(deps);
  },
  exportAccount: async deps => ({ data: await exportAccount(deps, accountOf(deps.viewer).id) }),
  deleteAccount: async (deps, { comments }) => {
    await askRecentSignIn(deps);
    await deleteAccount(deps, accountOf(deps.viewer).id, comments);
    return await describeSignedOut(deps);
  },
};
