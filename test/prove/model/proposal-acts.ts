import { wordFor } from '../words.ts';
import { withoutToken } from './accounts.ts';
import type { Acts } from './act.ts';
import { actor } from './caller.ts';
import { type Account, existing, type World } from './world.ts';

export type ProposalDeed = 'proposePerson' | 'withdrawProposal' | 'declineProposal' | 'acceptProposal';

/** People whom members would like to be invited (docs/decisions/0041). */
export const proposalActs: Acts<ProposalDeed> = {
  proposePerson: (world, { at, by, email = proposedAt(at) }) => {
    const asking = actor(world, by, 'approved');
    if ('refusal' in asking) return asking;
    const account = world.accounts[asking.account];
    if (account === undefined) return { refusal: 'unauthenticated' };
    const others = proposedBy(account).filter(each => each.email !== email);
    if (others.length >= mostWaiting) return { refusal: 'resource-exhausted' };
    forget(account, email);
    account.proposed = [...(account.proposed ?? []), { email, word: wordOfProposal(at), isGone: false }];
    return { result: {} };
  },
  withdrawProposal: (world, { by, email }) => {
    const asking = actor(world, by, 'approved');
    if ('refusal' in asking) return asking;
    forget(world.accounts[asking.account], email);
    return { result: {} };
  },
  declineProposal: (world, { by, who, email }) => {
    const asking = actor(world, by, 'admin');
    if ('refusal' in asking) return asking;
    const account = world.accounts[who];
    if (!isWaiting(account, email)) return { refusal: 'not-found' };
    forget(account, email);
    return { result: {} };
  },
  acceptProposal: (world, { at, by, who, email, tags }, told) =>
    withoutToken(world, by, 'admin', inviter => {
      if (!tags.every(tag => world.tags[tag]?.isListed)) return { refusal: 'invalid-argument' };
      if (!isWaiting(world.accounts[who], email)) return { refusal: 'not-found' };
      for (const account of existing(world.accounts)) forget(account, email);
      const name = `i${at}`;
      world.invitations[name] = {
        // The link was mailed: nobody here joins by it.
        ...{ name, id: told.id ?? '', secret: '', label: nameOfProposed, by: inviter },
        ...{ tags: [...new Set(tags)], usesLeft: 1, isRevoked: false },
      };
      return { result: { made: [{ link: null }], known: [] } };
    }),
};

/** How many proposals of one member wait at once (docs/decisions/0041). */
const mostWaiting = 5;

export const proposedAt = (at: number) => `${wordFor(`proposed at ${at}`)}@example.org`;
export const wordOfProposal = (at: number) => wordFor(`word of the proposal at ${at}`);
export const nameOfProposed = 'Some One';

/** The proposals of an account that wait. */
export function proposedBy(account: Account | null): { email: string; word: string }[] {
  const waiting = account?.proposed?.filter(({ isGone }) => !isGone) ?? [];
  return waiting.map(({ email, word }) => ({ email, word }));
}

function isWaiting(account: Account | undefined, email: string): boolean {
  if (account === undefined || account.isGone || account.status !== 'approved') return false;
  return proposedBy(account).some(each => each.email === email);
}

function forget(account: Account | undefined, email: string): void {
  for (const each of account?.proposed ?? []) each.isGone ||= each.email === email;
}

/** All proposals that wait in a world. */
export function openProposals(world: World): { who: string; email: string }[] {
  return existing(world.accounts).flatMap(account =>
    proposedBy(account).map(({ email }) => ({ who: account.name, email })),
  );
}
