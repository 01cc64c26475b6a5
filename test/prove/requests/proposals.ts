import { nameOfProposed, type ProposalDeed, proposedAt, wordOfProposal } from '../model/proposal-acts.ts';
import { callBy, namesOfTags, type Requests } from './request.ts';

/** The requests about people whom members propose. */
export const proposalRequests: Requests<ProposalDeed> = {
  proposePerson: (sending, { at, email = proposedAt(at) }) =>
    callBy(sending, 'proposePerson', { email, name: nameOfProposed, word: wordOfProposal(at) }),
  acceptProposal: (sending, { who, email, tags }) =>
    callBy(sending, 'acceptProposal', {
      userId: sending.world.accounts[who]?.id,
      email,
      tags: namesOfTags(sending.world, tags),
    }),
};
