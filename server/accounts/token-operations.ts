import type { tokenOperations } from '../../contract/accounts/tokens.ts';
import { accountOf } from '../access/viewer.ts';
import type { Handlers } from '../deps.ts';
import { checkPassword } from './passwords.ts';
import { limitSignIn } from './sign-in-limits.ts';
import { listAccessTokens, makeAccessToken, revokeAccessToken } from './tokens.ts';

export const tokenHandlers: Handlers<typeof tokenOperations> = {
  listAccessTokens: async ({ db, config, viewer }) => ({
    tokens: await listAccessTokens({ db, config }, accountOf(viewer).id),
    maxDays: config.tokenMaxDays ?? null,
  }),
  createAccessToken: async (deps, { currentPassword, ...token }) => {
    const { id, email } = accountOf(deps.viewer);
    // Not to be guessed here any faster than at the door.
    await limitSignIn(deps, email, () => checkPassword(deps, currentPassword));
    return await makeAccessToken(deps, id, token);
  },
  revokeAccessToken: async (invocation, { tokenId }) => {
    await revokeAccessToken(invocation, accountOf(invocation.viewer).id, tokenId);
    return {};
  },
};
