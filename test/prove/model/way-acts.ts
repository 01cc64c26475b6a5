import { wordFor } from '../words.ts';
import { asAccount, asAdmin, begin, endAll, newAccount, withoutToken } from './accounts.ts';
import type { Acts } from './act.ts';
import { credentialOf } from './caller.ts';
import { holderOf } from './rule.ts';
import type { Account, Invitation } from './world.ts';

export type WayDeed =
  | 'askSignInLink'
  | 'signInByLink'
  | 'confirm'
  | 'invite'
  | 'changeInvitation'
  | 'revokeInvitation'
  | 'join'
  | 'acceptInvitation'
  | 'turnOnFactor'
  | 'turnOffFactor'
  | 'requireFactor'
  | 'addPasskey'
  | 'removePasskey'
  | 'signInByPasskey';

/**
 * Logging in by links and passkeys, invitations, and the second factor (docs/decisions/0021,
 * docs/security.md).
 */
export const wayActs: Acts<WayDeed> = {
  // The answer is the same if there is no such account: only the mail differs.
  askSignInLink: () => ({ result: {} }),
  signInByLink: (world, { at, who }, told) => {
    const account = world.accounts[who];
    const link = account?.signInLink;
    const isOver = !link?.isOpen || world.now > link.madeAt + signInLinkMs;
    if (account === undefined || account.isGone || isOver) return { refusal: 'failed-precondition' };
    link.isOpen = false;
    // The person who signed up may not be the one who reads the address, so what they have set up ends.
    const isFirstProof = !account.isConfirmed && !account.isAdmin;
    account.isConfirmed = true;
    if (isFirstProof) {
      endAll(world, account);
      account.hasPassword = false;
      for (const passkey of Object.values(world.passkeys)) passkey.isGone ||= passkey.account === who;
    }
    if (account.codes !== null && account.codes.shift() === undefined) return { refusal: 'unauthenticated' };
    begin(world, account, at, told);
    return { result: { user: { username: account.username } } };
  },
  confirm: (world, { who }) => {
    const account = world.accounts[who];
    if (account === undefined || account.isGone || !account.link?.isOpen) {
      return { refusal: 'failed-precondition' };
    }
    account.link.isOpen = false;
    account.isConfirmed = true;
    return { result: {} };
  },
  invite: (world, { at, by, tags, uses }, told) =>
    withoutToken(world, by, 'admin', account => {
      if (!tags.every(tag => world.tags[tag]?.isListed)) return { refusal: 'invalid-argument' };
      const name = `i${at}`;
      const { id = '', secret = '' } = told;
      world.invitations[name] = {
        ...{ name, id, secret, label: labelOf(name), by: account, tags: [...new Set(tags)] },
        ...{ usesLeft: uses, isRevoked: false },
      };
      return { result: { known: [] } };
    }),
  changeInvitation: (world, { by, invitation, tags }) =>
    withoutToken(world, by, 'admin', () => {
      const named = world.invitations[invitation];
      if (named === undefined || named.isGone) return { refusal: 'not-found' };
      if (!tags.every(tag => world.tags[tag]?.isListed)) return { refusal: 'invalid-argument' };
      named.tags = [...new Set(tags)];
      return { result: { invitation: { id: named.id } } };
    }),
  revokeInvitation: (world, { by, invitation }) =>
    withoutToken(world, by, 'admin', () => {
      const named = world.invitations[invitation];
      if (named === undefined || named.isGone) return { refusal: 'not-found' };
      named.isRevoked = true;
      return { result: { invitation: { id: named.id } } };
    }),
  join: (world, { at, invitation }, told) => {
    const named = world.invitations[invitation];
    const maker = world.accounts[named?.by ?? ''];
    const isOpen = named !== undefined && !named.isRevoked && named.usesLeft > 0;
    if (!isOpen || maker === undefined || maker.isGone || !maker.isAdmin) {
      return { refusal: 'failed-precondition' };
    }
    named.usesLeft -= 1;
    const account = { ...newAccount(at, told, world.now), status: 'approved' as const, isInvited: true };
    account.tags = [...named.tags];
    world.accounts[account.name] = account;
    begin(world, account, at, told);
    return { result: { user: { username: account.username, isApproved: true, isAdmin: false } } };
  },
  acceptInvitation: (world, { by, invitation }) =>
    withoutToken(world, by, 'signed-in', () =>
      asAccount(world, by, account => {
        const named = world.invitations[invitation];
        const maker = world.accounts[named?.by ?? ''];
        const isOpen = named !== undefined && !named.isRevoked && named.usesLeft > 0;
        if (!isOpen || maker === undefined || maker.isGone || !maker.isAdmin) {
          return { refusal: 'failed-precondition' };
        }
        const use = offerTo(account, named);
        if (use === 'refused') return { refusal: 'failed-precondition' };
        if (use === 'own-account') {
          named.usesLeft -= 1;
          if (account.status === 'pending') account.isInvited = true;
          account.status = 'approved';
          account.tags = [...account.tags, ...gainOf(account, named)];
          account.before = undefined;
        }
        return { result: { user: { username: account.username, isApproved: true } } };
      }),
    ),
  turnOnFactor: (world, { by }, told) =>
    withoutToken(world, by, 'signed-in', () =>
      asAccount(world, by, account => {
        if (!account.isConfirmed && !account.isAdmin) return { refusal: 'failed-precondition' };
        account.codes = (told.secret ?? '').split(' ');
        const credential = credentialOf(world, by);
        const own = credential && holderOf(credential);
        for (const session of Object.values(world.sessions)) {
          if (session.account === account.name && session.name !== own) session.isOpen = false;
        }
        return { result: {} };
      }),
    ),
  turnOffFactor: (world, { by }) =>
    withoutToken(world, by, 'signed-in', () =>
      asAccount(world, by, account => {
        if (account.codes !== null && account.isAdmin && world.requiresFactor) {
          return { refusal: 'failed-precondition' };
        }
        account.codes = null;
        return { result: {} };
      }),
    ),
  requireFactor: (world, { by, isRequired }) =>
    withoutToken(world, by, 'admin', name =>
      asAdmin(world, by, () => {
        if (isRequired && world.accounts[name]?.codes === null) return { refusal: 'failed-precondition' };
        world.requiresFactor = isRequired;
        return { result: { isRequired } };
      }),
    ),
  addPasskey: (world, { at, by }, told) =>
    withoutToken(world, by, 'signed-in', account => {
      const name = `y${at}`;
      world.passkeys[name] = { name, id: told.id ?? '', account, label: labelOf(name), isGone: false };
      return { result: {} };
    }),
  removePasskey: (world, { by, passkey }) =>
    withoutToken(world, by, 'signed-in', account => {
      const named = world.passkeys[passkey];
      // A passkey of somebody else stays, and the answer is the same.
      if (named?.account === account) named.isGone = true;
      return { result: {} };
    }),
  signInByPasskey: (world, { at, passkey }, told) => {
    const named = world.passkeys[passkey];
    const account = world.accounts[named?.account ?? ''];
    if (named === undefined || named.isGone || account === undefined || account.isGone) {
      return { refusal: 'unauthenticated' };
    }
    begin(world, account, at, told);
    return { result: { user: { username: account.username } } };
  },
};

/** The tags that an invitation gives an account: none that were taken from it. */
const gainOf = ({ tags, withheld = [] }: Account, invitation: Invitation) =>
  invitation.tags.filter(tag => !tags.includes(tag) && !withheld.includes(tag));

/** What an open invitation for several people can do for whom it is opened by. */
export function offerTo(account: Account | null, invitation: Invitation): string {
  if (account === null) return 'join';
  if (account.status === 'denied') return 'refused';
  const gains = account.status === 'pending' || (!account.isAdmin && gainOf(account, invitation).length > 0);
  return gains ? 'own-account' : 'nothing';
}

/** How long a sign-in link works, in milliseconds (docs/security.md). */
export const signInLinkMs = 15 * 60_000;

export const labelOf = (passkey: string) => wordFor(`label of ${passkey}`);
