import { wordFor } from '../words.ts';
import {
  admins,
  asAccount,
  begin,
  endAll,
  endFeed,
  fullNameAt,
  newAccount,
  passwordAt,
  withoutToken,
} from './accounts.ts';
import type { Acts, Expectation } from './act.ts';
import { actor, type Caller, credentialOf } from './caller.ts';
import { type Account, emailOf, existing, type World } from './world.ts';

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
  | 'deleteAccount';

/** What accounts and sessions do (specification section 4, decisions 9, 25 and 26). */
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
  makePostAddress: (world, { by, publishes }, { secret: email = '' }) =>
    withoutToken(world, by, 'author', asking => {
      const account = world.accounts[asking];
      if (account !== undefined)
        Object.assign(account, { postAddress: { publishes, email }, postEmail: email });
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
};

function notify(world: World, by: string, caller: Caller, isOn: boolean): Expectation {
  return withoutToken(world, by, caller, () => {
    const credential = credentialOf(world, by);
    const session = credential && 'session' in credential ? world.sessions[credential.session] : undefined;
    if (session !== undefined) session.isNotified = isOn;
    return { result: { isOn } };
  });
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
