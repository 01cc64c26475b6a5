import type { accessRequestOperations } from '../../contract/access-requests.ts';
import type { Handlers } from '../access/context.ts';
import { answerAccessRequest, listAccessRequests } from './answer.ts';
import { askForPost } from './ask.ts';

export const accessRequestHandlers: Handlers<typeof accessRequestOperations> = {
  askForPost: async (deps, input) => {
    await askForPost(deps, deps.viewer, input);
    return {};
  },
  listAccessRequests: async deps => ({ requests: await listAccessRequests(deps, deps.viewer) }),
  answerAccessRequest: async (deps, input) => {
    await answerAccessRequest(deps, input);
    return {};
  },
};
