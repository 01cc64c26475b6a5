import { requestsListed } from '../../../contract/constants.ts';
import type { proposalOperations } from '../../../contract/proposals.ts';
import { tagRefs } from '../../access/audience.ts';
import type { Handlers } from '../../access/context.ts';
import { accountOf } from '../../access/viewer.ts';
import { describeMade } from '../invitations/read.ts';
import { acceptProposal, declineProposal, listProposals } from './answer.ts';
import { listOwnProposals, propose, withdrawProposal } from './propose.ts';

export const proposalHandlers: Handlers<typeof proposalOperations> = {
  listOwnProposals: async deps => ({ proposals: await listOwnProposals(deps, accountOf(deps.viewer).id) }),
  proposePerson: async (deps, proposed) => {
    await propose(deps, accountOf(deps.viewer).id, proposed);
    return {};
  },
  withdrawProposal: async (deps, { email }) => {
    await withdrawProposal(deps, accountOf(deps.viewer).id, email);
    return {};
  },
  listProposals: async (deps, input) => await listProposals(deps, input?.most ?? requestsListed),
  acceptProposal: async (deps, { userId, email, tags, tagIds: seenIds, expiresInDays }) => {
    const tagIds = (await deps.catalogue()).tagIdsOf(tagRefs(tags, seenIds));
    const terms = { creatorId: accountOf(deps.viewer).id, tagIds, expiresInDays };
    return await describeMade(deps, await acceptProposal(deps, { userId, email }, terms));
  },
  declineProposal: async (deps, named) => {
    await declineProposal(deps, named);
    return {};
  },
};
