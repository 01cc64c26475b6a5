import type { tokenOperations } from '../../contract/accounts/tokens.ts';
import { accountOf } from '../access/viewer.ts';
import type { Handlers } from '../deps.ts';
import { listAccessTokens, makeAccessToken, revokeAccessToken } from './tokens.ts';

export const tokenHandlers: Handlers<typeof tokenOperations> = {
  listAccessTokens: async ({ db, config, viewer }) => ({
    tokens: await listAccessTokens({ db, config }, accountOf(viewer).id),
    maxDays: config.tokenMaxDays ?? null,
  }),
  createAccessToken: async (deps, token) => await makeAccessToken(deps, accountOf(deps.viewer).id, token),
  revokeAccessToken: async (invocation, { tokenId }) => {
    await revokeAccessToken(invocation, accountOf(invocation.viewer).id, tokenId);
    return {};
  },
};
