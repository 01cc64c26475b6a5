import { wordFor } from '../words.ts';
import type { Acts, Expectation, Told } from './act.ts';
import { actor, type Caller, credentialOf } from './caller.ts';
import { faceOf } from './rule.ts';
import { type Account, emailOf, existing, type Session, type World } from './world.ts';

export type AccountDeed =
  | 'signUp'
  | 'signIn'
  | 'signOut'
  | 'signOutEverywhere'
  | 'changeName'
  | 'setFace'
  | 'changePassword'
  | 'makeToken'
  | 'makeFeed'
  | 'endFeed'
  | 'makePostAddress'
  | 'endPostAddress'
  | 'startPush'
  | 'stopPush'
  | 'revokeToken'
  | 'deleteAccount'
  | 'approve'
  | 'deny'
  | 'decideMany'
  | 'undo'
  | 'allowTags'
  | 'setAdmin'
  | 'setAuthor';

/**
 * What accounts, sessions and decisions about them do (specification section 4, decisions.md 9, 25 and 26).
 */
export const accountActs: Acts<AccountDeed> = {
  signUp: (world, { at }, told) => {
    const account = newAccount(at, told, world.now);
    world.accounts[account.name] = account;
    begin(world, account, at, told);
    return { result: { user: { username: account.username, pendingApproval: true, isApproved: false } } };
  },
  signIn: (world, { at, who, isWrong }, told) => {
    const account = world.accounts[who];
    if (!account?.hasPassword || account.isGone || isWrong) return { refusal: 'unauthenticated' };
    // With a second factor it takes a recovery code, too, and each works once.
    if (account.codes !== null && account.codes.shift() === undefined) return { refusal: 'unauthenticated' };
    begin(world, account, at, told);
    return { result: { user: { username: account.username, email: emailOf(account) } } };
  },
  signOut: (world, { by }) => {
    const asking = actor(world, by, 'anyone');
    if ('refusal' in asking) return asking;
    const credential = credentialOf(world, by);
    if (credential?.by === 'token') return { refusal: 'permission-denied' };
    const session = credential && 'session' in credential ? world.sessions[credential.session] : undefined;
    if (session !== undefined) session.isOpen = false;
    return { result: { user: null } };
  },
  signOutEverywhere: (world, { by }) =>
    asAccount(world, by, account => {
      endAll(world, account);
      return { result: { user: null } };
    }),
  changeName: (world, { by, at }) =>
    asAccount(world, by, account => {
      account.fullName = fullNameAt(at);
      return { result: { user: { name: account.fullName } } };
    }),
  setFace: (world, { by, isPicture }, told) => {
    const asking = actor(world, by, 'approved');
    if ('refusal' in asking) return asking;
    const { account } = asking.viewer;
    if (isPicture && account !== null) account.face = { address: told.face ?? '', isShown: true };
    else if (account?.face !== undefined) account.face.isShown = false;
    return { result: { face: isPicture ? undefined : null } };
  },
  changePassword: (world, { by, at }, told) =>
    withoutToken(world, by, 'signed-in', () =>
      asAccount(world, by, account => {
        account.password = passwordAt(at);
        const isFirst = !account.hasPassword;
        account.hasPassword = true;
        // There was no password that somebody else could have used, so nothing ends.
        if (isFirst) return { result: { user: { username: account.username } } };
        endAll(world, account);
        begin(world, account, at, told);
        return { result: { user: { username: account.username } } };
      }),
    ),
  makeToken: (world, { by, at }, told) =>
    withoutToken(world, by, 'approved', asking => {
      const name = `k${at}`;
      const label = wordFor(`label of ${name}`);
      const { id = '', secret = '' } = told;
      world.tokens[name] = { name, account: asking, id, secret, label, isOpen: true };
      return { result: { accessToken: { name: label } } };
    }),
  makeFeed: (world, { by }, told) =>
    withoutToken(world, by, 'approved', asking => {
      const account = world.accounts[asking];
      if (account !== undefined) account.feed = { secret: told.secret ?? '', isOpen: true };
      return { result: { feed: { lastUsedAt: null } } };
    }),
  endFeed: (world, { by }) =>
    asAccount(world, by, account => {
      endFeed(account);
      return { result: { feed: null } };
    }),
  makePostAddress: (world, { by, publishes }) =>
    withoutToken(world, by, 'author', asking => {
      const account = world.accounts[asking];
      if (account !== undefined) account.postAddress = { publishes };
      return { result: { address: { publishes } } };
    }),
  endPostAddress: (world, { by }) =>
    asAccount(world, by, account => {
      account.postAddress = undefined;
      return { result: { address: null } };
    }),
  startPush: (world, { by }) => notify(world, by, 'approved', true),
  stopPush: (world, { by }) => notify(world, by, 'signed-in', false),
  revokeToken: (world, { by, token }) => {
    const asking = actor(world, by, 'signed-in');
    if ('refusal' in asking) return asking;
    const named = world.tokens[token];
    // A token of somebody else stays, and the answer is the same.
    if (named?.account === asking.account) named.isOpen = false;
    return { result: {} };
  },
  deleteAccount: (world, { by, comments }) =>
    withoutToken(world, by, 'signed-in', () =>
      asAccount(world, by, account => {
        if (account.isAdmin && admins(world).length === 1) return { refusal: 'failed-precondition' };
        remove(world, account, comments);
        return { result: { user: null } };
      }),
    ),
  approve: (world, { by, who, tags }) =>
    asAdmin(world, by, () => {
      if (tags?.some(tag => world.tags[tag] === undefined)) return { refusal: 'invalid-argument' };
      return about(world, who, account => approve(account, tags));
    }),
  deny: (world, { by, who }) => asAdmin(world, by, () => about(world, who, account => deny(world, account))),
  decideMany: (world, { by, decisions }) =>
    asAdmin(world, by, () => {
      const approvals = decisions.filter(({ isApproval }) => isApproval);
      if (approvals.some(({ tags }) => tags.some(tag => world.tags[tag] === undefined))) {
        return { refusal: 'invalid-argument' };
      }
      const results = decisions.map(({ who, isApproval, tags }) => {
        const account = world.accounts[who];
        if (account === undefined || account.isGone) return { user: null };
        const refusal = isApproval ? approve(account, tags) : deny(world, account);
        return { user: managed(world, account), ...(refusal === undefined && { failure: null }) };
      });
      return { result: { results } };
    }),
  undo: (world, { by, who }) =>
    asAdmin(world, by, () =>
      about(world, who, account => {
        const { before } = account;
        if (before === undefined) return { refusal: 'failed-precondition' };
        Object.assign(account, before, { before: undefined });
        if (account.status === 'denied') endAll(world, account);
        if (account.status === 'pending') endTokens(world, account);
        return undefined;
      }),
    ),
  allowTags: (world, { by, who, tags }) =>
    asAdmin(world, by, () => {
      if (tags.some(tag => world.tags[tag] === undefined)) return { refusal: 'invalid-argument' };
      return about(world, who, account => {
        setTags(account, tags);
        return undefined;
      });
    }),
  setAdmin: (world, { by, who, isAdmin }) =>
    withoutToken(world, by, 'admin', () =>
      asAdmin(world, by, () =>
        about(world, who, account => {
          if (account.isAdmin === isAdmin) return undefined;
          if (account.status !== 'approved') return { refusal: 'failed-precondition' };
          if (!isAdmin && admins(world).length === 1) return { refusal: 'failed-precondition' };
          account.isAdmin = isAdmin;
          account.isAuthor = false;
          account.before = undefined;
          if (!isAdmin) endInvitations(world, account);
          return undefined;
        }),
      ),
    ),
  setAuthor: (world, { by, who, isAuthor }) =>
    withoutToken(world, by, 'admin', () =>
      asAdmin(world, by, () =>
        about(world, who, account => {
          if (account.isAuthor === isAuthor) return undefined;
          if (account.isAdmin || account.status !== 'approved') return { refusal: 'failed-precondition' };
          account.isAuthor = isAuthor;
          account.before = undefined;
          return undefined;
        }),
      ),
    ),
};

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

/** Approves an account, with exactly these tags if a list is given. */
function approve(account: Account, tags: readonly string[] | undefined): undefined {
  if (account.status === 'approved') {
    if (tags !== undefined) setTags(account, tags);
    return;
  }
  account.before = { status: account.status, tags: account.tags, isAuthor: account.isAuthor };
  account.status = 'approved';
  if (tags !== undefined) account.tags = [...new Set(tags)];
}

function deny(world: World, account: Account): { refusal: string } | undefined {
  if (account.status === 'denied') return undefined;
  if (account.isAdmin) return { refusal: 'failed-precondition' };
  account.before = { status: account.status, tags: account.tags, isAuthor: account.isAuthor };
  account.status = 'denied';
  account.isAuthor = false;
  endAll(world, account);
  return undefined;
}

/** Different tags are a new decision, so the one before can no longer be undone. */
function setTags(account: Account, tags: readonly string[]): void {
  const after = new Set(tags);
  if (after.size === account.tags.length && account.tags.every(tag => after.has(tag))) return;
  account.tags = [...after];
  account.before = undefined;
}

function endFeed(account: Account): void {
  if (account.feed !== undefined) account.feed.isOpen = false;
}

function notify(world: World, by: string, caller: Caller, isOn: boolean): Expectation {
  return withoutToken(world, by, caller, () => {
    const credential = credentialOf(world, by);
    const session = credential && 'session' in credential ? world.sessions[credential.session] : undefined;
    if (session !== undefined) session.isNotified = isOn;
    return { result: { isOn } };
  });
}

/** Ends what has a secret address: the feed of an account, and where it posts by mail. */
function endAddresses(account: Account): void {
  endFeed(account);
  account.postAddress = undefined;
}

function endTokens(world: World, account: Account): void {
  endAddresses(account);
  for (const token of Object.values(world.tokens)) if (token.account === account.name) token.isOpen = false;
}

function endInvitations(world: World, account: Account): void {
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

function remove(world: World, account: Account, comments: 'keep' | 'delete'): void {
  endAll(world, account);
  account.isGone = true;
  for (const post of existing(world.posts)) {
    post.likes = post.likes.filter(name => name !== account.name);
    post.opened = post.opened.filter(name => name !== account.name);
  }
  for (const comment of existing(world.comments)) {
    delete comment.reports[account.name];
    if (comment.author !== account.name) continue;
    comment.author = null;
    comment.isGone = comments === 'delete';
  }
  for (const passkey of Object.values(world.passkeys)) passkey.isGone ||= passkey.account === account.name;
  for (const file of existing(world.files)) if (file.uploader === account.name) file.uploader = null;
}

const admins = (world: World) => existing(world.accounts).filter(account => account.isAdmin);

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
