import type { accessRequestOperations } from '../../contract/access-requests.ts';
import { requestsListed } from '../../contract/constants.ts';
import type { Handlers } from '../access/context.ts';
import { accountOf } from '../access/viewer.ts';
import { answerAccessRequest, listAccessRequests } from './answer.ts';
import { askForPost, ownRequest, withdrawRequest } from './ask.ts';

export const accessRequestHandlers: Handlers<typeof accessRequestOperations> = {
  askForPost: async (deps, input) => {
    await askForPost(deps, deps.viewer, input);
    return {};
  },
  getOwnRequest: async (deps, { postId }) => ({
    askedAt: await ownRequest(deps, accountOf(deps.viewer).id, postId),
  }),
  withdrawRequest: async (deps, { postId }) => {
    await withdrawRequest(deps, accountOf(deps.viewer).id, postId);
    return {};
  },
  listAccessRequests: async (deps, input) =>
    await listAccessRequests(deps, deps.viewer, input?.most ?? requestsListed),
  answerAccessRequest: async (deps, input) => {
    await answerAccessRequest(deps, input);
    return {};
  },
};
