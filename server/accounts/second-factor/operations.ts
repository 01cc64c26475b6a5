import type { secondFactorOperations } from '../../../contract/accounts/second-factor.ts';
import { AppError, fieldError } from '../../../contract/errors.ts';
import type { Handlers } from '../../access/context.ts';
import { accountOf, describeUser } from '../../access/viewer.ts';
import { inTransaction } from '../../db/transaction.ts';
import { type AccountContext, type AccountInvocation, ownId } from '../context.ts';
import { checkPassword, noteConfirmation } from '../sign-in/passwords.ts';
import { asksForCode, consumePending, findPending } from '../sign-in/pending-sign-in.ts';
import { limitSignIn, limitTries } from '../sign-in/sign-in-limits.ts';
import { signInWithoutPassword } from '../sign-in/sign-in-without-password.ts';
import { consumeProof, newSecret, provenBy, uriOf } from './codes.ts';
import {
  askFactorAllowed,
  describeFactor,
  isRequiredOfAdmins,
  renewRecoveryCodes,
  setAdminFactor,
  tellOfRecovery,
  turnOffFactor,
  turnOnFactor,
} from './write.ts';

/** Completes the browser's pending sign-in with a code. Returns the account's id. */
async function signInWithCode(deps: AccountInvocation, code: string): Promise<string> {
  const pending = await findPending(deps);
  const { userId, isLong, shownAt } = pending;
  const proof = await provenBy(deps, userId, code);
  await signInWithoutPassword(deps, userId, {
    holds: async trx => {
      if (!((await consumePending(trx, pending)) && (await consumeProof(trx, userId, proof)))) return false;
      if ('recoveryDigest' in proof) await tellOfRecovery(trx, deps, userId);
      return true;
    },
    hasSecondFactor: true,
    isLong,
    shownAt,
  });
  return userId;
}

/**
 * Confirms the caller by password, and by a code if the account asks for one. Throws invalid-argument if the
 * code is missing.
 */
async function confirmPassword(
  deps: AccountInvocation,
  password: string,
  code: string | undefined,
): Promise<void> {
  const { id, email } = accountOf(deps.viewer);
  const needsCode = await asksForCode(deps.db, id);
  if (needsCode && code === undefined) {
    throw fieldError('code', 'Please enter the code of your app, too.');
  }
  // Limited like the login form, so that the password cannot be guessed faster here.
  await limitSignIn(deps, email, () => checkPassword(deps, id, password));
  const proof = needsCode && code !== undefined ? await provenBy(deps, id, code) : undefined;
  await inTransaction(deps, async trx => {
    if (proof !== undefined && !(await consumeProof(trx, id, proof))) {
      throw new AppError('aborted', 'This code was used at the same moment. Please enter the next one.');
    }
    await noteConfirmation(trx, deps.credential, deps.clock());
  });
}

export const secondFactorHandlers: Handlers<typeof secondFactorOperations, AccountContext> = {
  getSecondFactor: async deps => await describeFactor(deps.db, ownId(deps)),
  requestSecondFactor: async deps => {
    await askFactorAllowed(deps, ownId(deps));
    const secret = newSecret();
    return { secret, uri: uriOf(secret, await deps.settings(), accountOf(deps.viewer).email) };
  },
  turnOnSecondFactor: async (deps, { secret, code }) => ({
    recoveryCodes: await turnOnFactor(deps, ownId(deps), {
      secret,
      code,
      sessionId: deps.credential?.id ?? '',
    }),
  }),
  renewRecoveryCodes: async deps => ({ recoveryCodes: await renewRecoveryCodes(deps, ownId(deps)) }),
  turnOffSecondFactor: async deps => {
    await turnOffFactor(deps, ownId(deps), { isOwn: true });
    return {};
  },
  getAdminFactor: async ({ db }) => ({ isRequired: await isRequiredOfAdmins(db) }),
  setAdminFactor: async (deps, { isRequired }) => {
    await setAdminFactor(deps, ownId(deps), isRequired);
    return { isRequired };
  },
  signInWithCode: async (deps, { code }) => {
    await limitTries(deps, 'code', 200);
    const userId = await signInWithCode(deps, code);
    return await describeUser(deps, userId);
  },
  confirmPassword: async (deps, { currentPassword, code }) => {
    await confirmPassword(deps, currentPassword, code);
    return {};
  },
};
