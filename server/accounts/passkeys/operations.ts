import type { passkeyOperations } from '../../../contract/accounts/passkeys.ts';
import type { Handlers } from '../../access/context.ts';
import { accountOf, describeUser } from '../../access/viewer.ts';
import type { AccountContext, AccountInvocation } from '../context.ts';
import { limitTries } from '../sign-in/sign-in-limits.ts';
import { listPasskeys } from './read.ts';
import { confirmWithPasskey, describeSignature, signInWithPasskey } from './signature.ts';
import { addPasskey, describeNewPasskey, removePasskey, renamePasskey } from './write.ts';

const listOwn = ({ db, viewer }: AccountInvocation) => listPasskeys(db, accountOf(viewer).id);

/** Signatures cannot be guessed; the limit is on the work of checking them. */
const limitSignatures = (deps: AccountInvocation) => limitTries(deps, 'passkey', 200);

export const passkeyHandlers: Handlers<typeof passkeyOperations, AccountContext> = {
  listPasskeys: listOwn,
  requestPasskey: describeNewPasskey,
  addPasskey: async (deps, input) => {
    await addPasskey(deps, input);
    return await listOwn(deps);
  },
  renamePasskey: async (deps, { passkeyId, name }) => {
    await renamePasskey(deps, passkeyId, name);
    return await listOwn(deps);
  },
  removePasskey: async (deps, { passkeyId }) => {
    await removePasskey(deps, passkeyId);
    return await listOwn(deps);
  },
  requestSignature: describeSignature,
  signInWithPasskey: async (deps, { signed, keepSignedIn }) => {
    await limitSignatures(deps);
    const userId = await signInWithPasskey(deps, { signed, isLong: keepSignedIn });
    return await describeUser(deps, userId);
  },
  confirmWithPasskey: async (deps, { signed }) => {
    await limitSignatures(deps);
    await confirmWithPasskey(deps, signed);
    return {};
  },
};
