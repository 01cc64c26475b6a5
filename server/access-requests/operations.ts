import type { accessRequestOperations } from '../../contract/access-requests.ts';
import { requestsListed } from '../../contract/constants.ts';
import type { Handlers } from '../access/context.ts';
import { answerAccessRequest, listAccessRequests } from './answer.ts';
import { askForPost } from './ask.ts';

export const accessRequestHandlers: Handlers<typeof accessRequestOperations> = {
  askForPost: async (deps, input) => {
    await askForPost(deps, deps.viewer, input);
    return {};
  },
  listAccessRequests: async (deps, input) =>
    await listAccessRequests(deps, deps.viewer, input?.most ?? requestsListed),
  answerAccessRequest: async (deps, input) => {
    await answerAccessRequest(deps, input);
    return {};
  },
};
