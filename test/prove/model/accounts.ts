import { wordFor } from '../words.ts';
import type { Expectation, Told } from './act.ts';
import { actor, type Caller, credentialOf } from './caller.ts';
import { faceOf } from './rule.ts';
import { type Account, emailOf, existing, type Session, type World } from './world.ts';

export const fullNameAt = (at: number) => wordFor(`full name at ${at}`);
export const passwordAt = (at: number) => wordFor(`password at ${at}`);
export const deviceAt = (at: number) => wordFor(`device at ${at}`);

/** The account that step `at` makes. */
export function newAccount(at: number, told: Told, since = 0): Account {
  return {
    name: `u${at}`,
    id: told.id ?? '',
    username: wordFor(`username at ${at}`),
    fullName: fullNameAt(at),
    password: passwordAt(at),
    hasPassword: true,
    status: 'pending',
    isAdmin: false,
    isAuthor: false,
    since,
    tags: [],
    isSubscribed: false,
    isConfirmed: false,
    isInvited: false,
    codes: null,
    isGone: false,
  };
}

/** A session that step `at` begins. */
export function begin(world: World, account: Account, at: number, told: Told): Session {
  const name = `s${at}`;
  const { cookie = '', bearer = '' } = told;
  const session = { name, account: account.name, cookie, bearer, device: deviceAt(at), isOpen: true };
  world.sessions[name] = session;
  return session;
}

/** What access tokens may not do, because the result would outlive the token. */
export function withoutToken(
  world: World,
  by: string,
  caller: Caller,
  act: (account: string) => Expectation,
): Expectation {
  const asking = actor(world, by, caller);
  if ('refusal' in asking) return asking;
  return credentialOf(world, by)?.by === 'token' ? { refusal: 'permission-denied' } : act(asking.account);
}

/** Replaces the approved tags of an account; those that it had before are withheld. */
export function replaceTags(account: Account, tags: readonly string[]): void {
  const known = [...account.tags, ...(account.withheld ?? [])];
  account.withheld = [...new Set(known)].filter(tag => !tags.includes(tag));
  account.tags = [...new Set(tags)];
}

export function endFeed(account: Account): void {
  if (account.feed !== undefined) account.feed.isOpen = false;
}

/** Ends what has a secret address: the feed of an account, and where it posts by mail. */
export function endAddresses(account: Account): void {
  endFeed(account);
  account.postAddress = undefined;
}

export function endTokens(world: World, account: Account): void {
  endAddresses(account);
  for (const token of Object.values(world.tokens)) if (token.account === account.name) token.isOpen = false;
}

export function endInvitations(world: World, account: Account): void {
  for (const invitation of Object.values(world.invitations)) {
    if (invitation.by === account.name) invitation.isRevoked = true;
  }
}

/** Ends an account's sessions, tokens and links, and the invitations that it made. */
export function endAll(world: World, account: Account): void {
  if (account.link !== undefined) account.link.isOpen = false;
  if (account.signInLink !== undefined) account.signInLink.isOpen = false;
  endInvitations(world, account);
  endAddresses(account);
  for (const held of [...Object.values(world.sessions), ...Object.values(world.tokens)]) {
    if (held.account === account.name) held.isOpen = false;
  }
}

export const admins = (world: World) => existing(world.accounts).filter(account => account.isAdmin);

export function asAccount(world: World, by: string, act: (account: Account) => Expectation): Expectation {
  const asking = actor(world, by, 'signed-in');
  if ('refusal' in asking) return asking;
  return asking.viewer.account === null ? { refusal: 'unauthenticated' } : act(asking.viewer.account);
}

export function asAdmin(world: World, by: string, act: () => Expectation): Expectation {
  const asking = actor(world, by, 'admin');
  return 'refusal' in asking ? asking : act();
}

/** A decision about an account. Its answer is the account as admins see it. */
export function about(
  world: World,
  who: string,
  decide: (account: Account) => Expectation | undefined,
): Expectation {
  const account = world.accounts[who];
  if (account === undefined || account.isGone) return { refusal: 'not-found' };
  const refusal = decide(account);
  if (refusal !== undefined) return refusal;
  return { result: { user: managed(world, account) } };
}

/** An account as admins see it. */
export function managed(world: World, account: Account) {
  const tags = account.tags.map(tag => world.tags[tag]?.word ?? '').sort();
  const { id, username, fullName: name, isAdmin, isAuthor, isMuted = false, status } = account;
  return {
    id,
    username,
    name,
    face: faceOf(account),
    email: emailOf(account),
    isAdmin,
    isAuthor,
    isMuted,
    status,
    approvedTags: tags,
  };
}
