import type { tokenOperations } from '../../contract/accounts/tokens.ts';
import { AppError } from '../../contract/errors.ts';
import { accountOf } from '../access/viewer.ts';
import type { Handlers, Invocation } from '../deps.ts';
import { listAccessTokens, makeAccessToken, revokeAccessToken } from './tokens.ts';

export const tokenHandlers: Handlers<typeof tokenOperations> = {
  listAccessTokens: async ({ db, viewer }) => ({ tokens: await listAccessTokens(db, accountOf(viewer).id) }),
  createAccessToken: async (invocation, input) => {
    refusePrograms(invocation);
    return await makeAccessToken(invocation, accountOf(invocation.viewer).id, input);
  },
  revokeAccessToken: async (invocation, { tokenId }) => {
    await revokeAccessToken(invocation, accountOf(invocation.viewer).id, tokenId);
    return {};
  },
};

/** A token that leaked must not be able to make itself successors. */
function refusePrograms({ request }: Invocation): void {
  if (request.get('authorization') !== null) {
    throw new AppError('permission-denied', 'Tokens are made in the browser, not with another token.');
  }
}
