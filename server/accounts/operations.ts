import type { accountOperations } from '../../contract/accounts/account.ts';
import type { signInOperations } from '../../contract/accounts/sign-in.ts';
import type { tokenOperations } from '../../contract/accounts/tokens.ts';
import { AppError, fieldError, isCodeAsked } from '../../contract/errors.ts';
import { nextPath } from '../../contract/next-path.ts';
import type { Handlers } from '../access/context.ts';
import { accountOf, describeUser, describeViewer, visitor } from '../access/viewer.ts';
import { setWantedTag } from '../mail/wishes/unwanted.ts';
import { type AccountContext, type AccountInvocation, ownId } from './context.ts';
import { setFace } from './profile/face.ts';
import { changeName, deleteAccount, endSession, exportAccount, getAccount } from './profile/profile.ts';
import { getSubscription, setSubscription } from './profile/subscription.ts';
import { listAccessTokens, makeAccessToken, revokeAccessToken } from './sessions/tokens.ts';
import { changeEmail, confirmEmail, describeLink, sendConfirmation } from './sign-in/email.ts';
import { describeReset, requestReset, resetPassword } from './sign-in/password-reset.ts';
import { askRecentSignIn, changePassword, hasPassword, setFirstPassword } from './sign-in/passwords.ts';
import { asksForCode } from './sign-in/pending-sign-in.ts';
import { describeSetup, setUpSite } from './sign-in/setup.ts';
import { signIn, signOut, signOutEverywhere, signUp } from './sign-in/sign-in.ts';
import {
  limitCodes,
  limitConfirmation,
  limitMailByStrangers,
  limitMailTo,
  limitSignIn,
  limitTries,
} from './sign-in/sign-in-limits.ts';
import { describeSignInLink, requestSignInLink, signInByLink } from './sign-in/sign-in-link.ts';
import { limitSignUp, signUpTicket } from './sign-in/sign-up-limits.ts';

const describeSelf = (deps: AccountInvocation) => describeUser(deps, ownId(deps));

/**
 * Signing out answers with a visitor. The browser drops its cache of the site, above all files of restricted
 * posts (W3C Clear Site Data). Its storage stays: it also holds the unsaved texts of other users of the
 * browser, and the app offers people to delete their own.
 */
async function describeSignedOut({ catalogue, replyHeaders }: AccountInvocation) {
  replyHeaders.set('clear-site-data', '"cache"');
  return describeViewer(visitor((await catalogue()).defaultTagIds));
}

/** Longer than queueing a mail takes, so that the response time does not reveal whether a mail was queued. */
const evenMs = 200;

async function inConstantTime({ pause }: AccountInvocation, act: () => Promise<void>): Promise<void> {
  await Promise.all([act(), pause(evenMs)]);
}

/**
 * The old password counts as a recent sign-in, except for an account with a second factor. The limits on
 * guessing are those of the login form, so that an open session gives no more tries.
 */
async function changeOrSetPassword(
  deps: AccountInvocation,
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

/** Signing up, in and out, and managing one's own account. */
export const accountHandlers: Handlers<
  typeof signInOperations & typeof accountOperations & typeof tokenOperations,
  AccountContext
> = {
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
  signInByLink: async (deps, { keepSignedIn, ...secret }) => {
    await limitTries(deps, 'sign-in link', 50);
    if ('code' in secret) await limitCodes(deps, secret.email);
    const userId = await signInByLink(deps, secret, keepSignedIn);
    return await describeUser(deps, userId);
  },
  getSetup: async (deps, { token }) => await describeSetup(deps, token),
  setUpSite: async (deps, { token, account }) => {
    await limitTries(deps, 'set-up', 50);
    return await describeUser(deps, await setUpSite(deps, token, account));
  },
  getAccount: async deps => await getAccount(deps, ownId(deps), deps.credential),
  changeName: async (deps, { name }) => {
    await changeName(deps, ownId(deps), name);
    return await describeSelf(deps);
  },
  setFace: async (deps, { picture }) => ({ face: await setFace(deps, ownId(deps), picture) }),
  changePassword: async (deps, passwords) => {
    await changeOrSetPassword(deps, passwords);
    return await describeSelf(deps);
  },
  changeEmail: async (deps, { email }) => {
    await askRecentSignIn(deps);
    await limitConfirmation(deps, ownId(deps));
    if (deps.viewer.role === 'visitor') await limitMailByStrangers(deps, email);
    await inConstantTime(deps, () => changeEmail(deps, ownId(deps), email));
    return {};
  },
  sendConfirmation: async deps => {
    await limitConfirmation(deps, ownId(deps));
    await sendConfirmation(deps, ownId(deps));
    return {};
  },
  getEmailLink: async (deps, { token }) => ({ link: await describeLink(deps, token) }),
  confirmEmail: async (deps, { token }) => {
    await limitTries(deps, 'confirmation', 50);
    await confirmEmail(deps, token);
    return {};
  },
  requestPasswordReset: async (deps, { email, next }) => {
    await limitMailTo(deps, 'reset', email);
    await inConstantTime(deps, () => requestReset(deps, email, next));
    return {};
  },
  getResetLink: async (deps, { token }) => ({ link: await describeReset(deps, token) }),
  resetPassword: async (deps, { token, password }) => {
    await limitTries(deps, 'new password', 50);
    await resetPassword(deps, token, password);
    return {};
  },
  getSubscription: async deps => await getSubscription(deps, deps.viewer),
  setSubscription: async (deps, { subscribed, tag, ...wish }) => {
    await setSubscription(deps, ownId(deps), subscribed, wish);
    if (tag !== undefined) await setWantedTag(deps, deps.viewer, tag);
    return await getSubscription(deps, deps.viewer);
  },
  endSession: async (deps, { sessionId }) => {
    await endSession(deps, ownId(deps), sessionId);
    return {};
  },
  signOutEverywhere: async deps => {
    await signOutEverywhere(deps, ownId(deps));
    return await describeSignedOut(deps);
  },
  exportAccount: async (deps, input) => await exportAccount(deps, deps.viewer, input?.after),
  deleteAccount: async (deps, { comments }) => {
    await askRecentSignIn(deps);
    await deleteAccount(deps, ownId(deps), comments);
    return await describeSignedOut(deps);
  },
  listAccessTokens: async deps => ({
    tokens: await listAccessTokens(deps, ownId(deps)),
    maxDays: deps.config.tokenMaxDays ?? null,
  }),
  createAccessToken: async (deps, token) => await makeAccessToken(deps, ownId(deps), token),
  revokeAccessToken: async (deps, { tokenId }) => {
    await revokeAccessToken(deps, ownId(deps), tokenId);
    return {};
  },
};
