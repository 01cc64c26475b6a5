import { AnyOrder } from '../model/lists.ts';
import { proposedBy } from '../model/proposal-acts.ts';
import { offerTo, signInLinkMs } from '../model/way-acts.ts';
import { existing, type Invitation, tagWord, type World } from '../model/world.ts';
import { call } from './call.ts';
import type { Question } from './question.ts';

/** Questions about passkeys, second factors, invitations and proposals. */
export function wayQuestions(world: World): Question[] {
  return [
    call(
      'listPasskeys',
      {},
      'signed-in',
      (at, { account }) => {
        const own = Object.values(at.passkeys).filter(each => each.account === account?.name && !each.isGone);
        return { result: { passkeys: new AnyOrder(own.map(({ id, label }) => ({ id, name: label }))) } };
      },
      { isForTokens: false },
    ),
    call(
      'getSecondFactor',
      {},
      'signed-in',
      (_, { account }) => ({
        result: { isOn: account?.codes != null, recoveryCodesLeft: account?.codes?.length ?? 0 },
      }),
      { isForTokens: false },
    ),
    call('getAdminFactor', {}, 'admin', at => ({ result: { isRequired: at.requiresFactor } })),
    call('listInvitations', {}, 'admin', at => {
      const there = Object.values(at.invitations).filter(({ isGone }) => !isGone);
      const all = there.map(({ id, tags }) => ({
        id,
        tags: tags.map(tag => tagWord(at, tag)).sort(),
      }));
      return { result: { invitations: new AnyOrder(all) } };
    }),
    call('listOwnProposals', {}, 'approved', (_, { account }) => ({
      result: { proposals: new AnyOrder(proposedBy(account)) },
    })),
    call('listProposals', {}, 'admin', at => {
      const waiting = existing(at.accounts).filter(({ status }) => status === 'approved');
      const all = waiting.flatMap(account =>
        proposedBy(account).map(each => ({ ...each, userId: account.id, username: account.username })),
      );
      return { result: { proposals: new AnyOrder(all), total: all.length } };
    }),
    ...Object.values(world.accounts).flatMap(({ name, signInLink }) =>
      signInLink === undefined ? [] : [signInLinkQuestion(name, signInLink.token)],
    ),
    ...Object.values(world.invitations)
      .filter(({ secret }) => secret !== '')
      .slice(-3)
      .map(({ name, secret }) => invitationQuestion(name, secret)),
  ];
}

const isUsedUp = (invitation: Invitation | undefined) => invitation?.usesLeft === 0 && !invitation.isGone;

/** An invitation says by whom, to anybody who has its link. */
function invitationQuestion(name: string, token: string): Question {
  const openIn = (at: World) => {
    const invitation = at.invitations[name];
    const maker = at.accounts[invitation?.by ?? ''];
    if (invitation === undefined || invitation.usesLeft === 0 || invitation.isRevoked) return undefined;
    return maker?.isAdmin && !maker.isGone ? { invitation, inviter: maker.fullName } : undefined;
  };
  return {
    ...call(
      'getInvitation',
      { token },
      'anyone',
      (at, { account }) => {
        const open = openIn(at);
        if (open === undefined) {
          return { result: { invitation: null, isUsed: isUsedUp(at.invitations[name]) } };
        }
        const { inviter, invitation } = open;
        const use = offerTo(account, invitation);
        return { result: { invitation: { inviter, email: null, isProven: false, name: '', use } } };
      },
      { isForTokens: false },
    ),
    also: at => [openIn(at)?.inviter ?? ''],
  };
}

/**
 * Whom a mailed link logs in: anybody with the valid link may ask. Near the link's end any answer is
 * accepted.
 */
function signInLinkQuestion(name: string, token: string): Question {
  const linkIn = (at: World) => {
    const account = at.accounts[name];
    const { signInLink: link } = account ?? {};
    const isGood = link?.token === token && link.isOpen && !account?.isGone;
    return { account: isGood ? account : undefined, age: at.now - (link?.madeAt ?? 0) };
  };
  return {
    ...call(
      'getSignInLink',
      { token },
      'anyone',
      at => {
        const { account, age } = linkIn(at);
        if (account !== undefined && Math.abs(age - signInLinkMs) < 60_000) return { result: {} };
        const isOpen = account !== undefined && age < signInLinkMs;
        const isFirstProof = !account?.isConfirmed && !account?.isAdmin;
        return { result: { link: isOpen ? { username: account.username, isFirstProof } : null } };
      },
      { isForTokens: false },
    ),
    also: at => [linkIn(at).account?.username ?? ''],
  };
}
