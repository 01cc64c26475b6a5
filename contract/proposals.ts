import { z } from 'zod';
import { FullName, NewAccount } from './accounts/sign-in.ts';
import { invitationLimits, reportMaxCharacters, requestsListed } from './constants.ts';
import { AllowedTagIds, AllowedTags } from './effects.ts';
import { MadeInvitations } from './invitations.ts';
import { operation } from './operation.ts';
import { Id, Moment, writtenText } from './values.ts';

const { email: Email } = NewAccount.shape;

const proposed = {
  email: z.string(),
  name: z.string(),
  /** The member's message about them; empty if they wrote none. */
  word: z.string(),
  createdAt: Moment,
};

const Proposal = z.object({
  ...proposed,
  /** The member who proposes them. */
  userId: Id,
  username: z.string(),
  /** The username of the account with this address, if there is one. */
  knownAs: z.string().nullable(),
  /** When this address was denied last. */
  deniedAt: Moment.nullable(),
});
export type Proposal = z.output<typeof Proposal>;

/** People whom members propose for an invitation. */
export const proposalOperations = {
  listOwnProposals: operation({
    for: 'approved',
    scope: 'read',
    summary: 'The caller’s proposals that no admin has answered yet.',
    output: z.object({ proposals: z.array(z.object(proposed)) }),
  }),
  proposePerson: operation({
    for: 'approved',
    scope: 'write',
    summary:
      'Proposes an invitation to the admins. A second proposal for the same address replaces the first. The answer does not reveal whether the address has an account.',
    input: z.strictObject({
      email: Email,
      name: FullName,
      word: writtenText('A message', reportMaxCharacters).default(''),
    }),
  }),
  withdrawProposal: operation({
    for: 'approved',
    scope: 'write',
    summary: 'Withdraws a proposal of the caller. Safe to repeat.',
    input: z.strictObject({ email: Email }),
  }),
  listProposals: operation({
    for: 'admin',
    scope: 'members',
    summary: 'The oldest proposals of members, fifty at most, and how many there are.',
    input: z.strictObject({ most: z.int().min(0).max(requestsListed).optional() }).nullish(),
    output: z.object({ proposals: z.array(Proposal), total: z.int().nonnegative() }),
  }),
  acceptProposal: operation({
    for: 'admin',
    scope: 'none',
    asksAgain: true,
    summary: 'Invites somebody whom a member has proposed, as createInvitations does, with these tags.',
    input: z.strictObject({
      userId: Id,
      email: Email,
      tags: AllowedTags,
      tagIds: AllowedTagIds,
      expiresInDays: z.int().min(1).max(invitationLimits.maxDays).default(invitationLimits.days),
    }),
    output: MadeInvitations,
  }),
  declineProposal: operation({
    for: 'admin',
    scope: 'members',
    summary: 'Removes a proposal. The member is not told.',
    input: z.strictObject({ userId: Id, email: Email }),
  }),
};
