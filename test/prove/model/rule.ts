import type { WishKind } from '../../../contract/wishes.ts';
import {
  type Account,
  type Comment,
  carriedBy,
  carriersOf,
  existing,
  type Post,
  type StoredFile,
  tagWord,
  type World,
} from './world.ts';

/**
 * What a request is sent with: nothing, the cookie or the bearer token of a session, or a personal access
 * token.
 */
export type Credential =
  | { by: 'nothing' }
  | { by: 'cookie' | 'bearer'; session: string }
  | { by: 'token'; token: string };

export type Viewer = {
  account: Account | null;
  role: 'visitor' | 'member' | 'author' | 'admin';
  /** Names of the tags that they may read. */
  tags: ReadonlySet<string>;
  /** Whether an access token asks, which may do less than its owner. */
  isByToken?: boolean;
};

/** The name of the session or access token of a credential. */
export function holderOf(credential: Credential): string | null {
  if (credential.by === 'nothing') return null;
  return credential.by === 'token' ? credential.token : credential.session;
}

/**
 * The viewer of a credential. An invalid cookie makes a visitor; an invalid bearer token is refused: null.
 */
export function viewerBy(world: World, credential: Credential): Viewer | null {
  if (credential.by === 'nothing') return viewerOf(world, null);
  const held =
    credential.by === 'token' ? world.tokens[credential.token] : world.sessions[credential.session];
  const account = held?.isOpen ? world.accounts[held.account] : undefined;
  if (account !== undefined && !account.isGone) {
    return { ...viewerOf(world, account), isByToken: credential.by === 'token' };
  }
  return credential.by === 'cookie' ? viewerOf(world, null) : null;
}

/** Specification section 6; pending and denied accounts are visitors (decision 9). */
export function viewerOf(world: World, account: Account | null): Viewer {
  if (account === null || account.isGone || account.status !== 'approved') {
    return { account: account?.isGone ? null : account, role: 'visitor', tags: new Set(world.defaults) };
  }
  const tags = new Set([...world.defaults, ...account.tags]);
  const isAdmin = account.isAdmin && !lacksFactor(world, account);
  return { account, role: isAdmin ? 'admin' : account.isAuthor ? 'author' : 'member', tags };
}

/**
 * An admin without the second factor that the site requires has no rights of an admin (docs/decisions/0021).
 */
export function lacksFactor({ requiresFactor }: World, { isAdmin, codes }: Account): boolean {
  return isAdmin && requiresFactor && codes === null;
}

/**
 * Whether somebody may change a post, and see it as a draft: an author their own posts, an admin every post.
 */
export function mayEdit(viewer: Viewer, post: Post): boolean {
  return viewer.role === 'admin' || (viewer.role === 'author' && post.author === viewer.account?.name);
}

/** The rule: specification section 6; an author reads what they wrote (docs/decisions/0022-authors.md). */
export function mayRead(viewer: Viewer, post: Post): boolean {
  if (post.isGone) return false;
  return mayEdit(viewer, post) || mayReadByTags(viewer, post);
}

/** Whether the tags of a post let somebody read it: what lists for everybody show. */
export function mayReadByTags(viewer: Viewer, post: Post): boolean {
  if (viewer.role === 'admin') return true;
  return post.publishedAt !== null && post.tags.every(tag => viewer.tags.has(tag));
}

/** The byline of a post, the same for all its readers (docs/decisions/0027-names-of-authors.md). */
export function bylineOf(world: World, post: Post): string | null {
  return world.settings.values.namesAuthors === 'true' ? usernameOf(world, post.author) : null;
}

/** The address of the picture that stands beside somebody's name. */
export function faceOf(account: Account | undefined): string | null {
  return account?.face?.isShown && !account.isGone ? account.face.address : null;
}

/** Whether the viewer reads this name: as an admin, or on a post or a comment that they may read. */
export function readsNameOf(world: World, viewer: Viewer, { name }: Account): boolean {
  if (viewer.role === 'admin' || viewer.account?.name === name) return true;
  const isNamed = readablePosts(world, viewer).some(
    post => post.author === name && bylineOf(world, post) !== null,
  );
  return (
    isNamed ||
    existing(world.comments).some(comment => {
      const post = world.posts[comment.post];
      return comment.author === name && comment.hidden === null && post && mayReadComments(viewer, post);
    })
  );
}

/** Who wrote a post, as a list of those who manage posts says it: null for the viewer's own posts. */
export function otherAuthorOf(world: World, viewer: Viewer, { author }: Post): string | null {
  return author === viewer.account?.name ? null : usernameOf(world, author);
}

function usernameOf(world: World, name: string): string | null {
  const account = world.accounts[name];
  return account === undefined || account.isGone ? null : account.username;
}

/** Comments are for approved readers of their post (decision 13). */
export function mayReadComments(viewer: Viewer, post: Post): boolean {
  return viewer.role !== 'visitor' && mayRead(viewer, post);
}

/** What an account hears of by mail; more from each role on. */
export function wishesAnswer(world: World, account: Account) {
  const { role } = viewerOf(world, account);
  const defaults: [WishKind, boolean, readonly string[]][] = [
    ['answers', true, ['member', 'author', 'admin']],
    ['own-posts', true, ['author', 'admin']],
    ['followed', false, ['member', 'author', 'admin']],
    ['waiting', true, ['admin']],
    ['asked', true, ['admin']],
    ['reported', true, ['admin']],
  ];
  const mine = defaults.filter(([, , roles]) => roles.includes(role));
  return { result: { wishes: mine.map(([kind, isOn]) => ({ kind, isOn: account.wishes?.[kind] ?? isOn })) } };
}

/** Of readers of a post, a hidden comment is read by its author and admins. */
export function seesComment(viewer: Viewer, { author, hidden }: Comment): boolean {
  return hidden === null || viewer.role === 'admin' || (author !== null && author === viewer.account?.name);
}

/**
 * Whoever may read the post may read its file; a file on no post belongs to its uploader (decision 22).
 */
export function mayHave(world: World, viewer: Viewer, file: StoredFile): boolean {
  if (file.isGone) return false;
  if (viewer.role === 'admin') return true;
  const carriers = carriersOf(world, file.name);
  if (carriers.some(post => mayRead(viewer, post))) return true;
  return carriers.length === 0 && viewer.role !== 'visitor' && file.uploader === viewer.account?.name;
}

export function readablePosts(world: World, viewer: Viewer): Post[] {
  return existing(world.posts).filter(post => mayRead(viewer, post));
}

/** The words of a post. */
function wordsOfPost(world: World, post: Post): string[] {
  return [post.title, post.description, post.head, post.tail]
    .concat(post.tags.map(tag => tagWord(world, tag)))
    .concat(post.attachments.flatMap(({ description, alt }) => [description, alt]))
    .filter(word => word !== null);
}

/**
 * Everything that a viewer may learn from any answer, as words and ids. Any other word or id in an answer is
 * a leak, unless the request held it.
 */
export function knowable(world: World, viewer: Viewer): Set<string> {
  const known = new Set<string>();
  const learn = (...all: (string | null)[]) => {
    for (const one of all) if (one !== null) known.add(one);
  };
  learn(world.about);
  for (const post of readablePosts(world, viewer)) {
    const author = world.accounts[post.author];
    learn(post.id, ...wordsOfPost(world, post));
    const byline = bylineOf(world, post);
    const isKnown = author?.isGone === false && (byline !== null || mayEdit(viewer, post));
    learn(byline, isKnown ? author.id : null);
    for (const file of carriedBy(post)) learnFile(world.files[file]);
  }
  if (viewer.role === 'author') {
    for (const tag of viewer.tags) learn(world.tags[tag]?.word ?? null);
    const own = existing(world.posts).filter(post => mayEdit(viewer, post));
    for (const name of own.flatMap(post => post.likes)) {
      learn(world.accounts[name]?.id ?? null, world.accounts[name]?.username ?? null);
    }
  }
  for (const comment of Object.values(world.comments)) {
    const post = world.posts[comment.post];
    if (post === undefined || post.isGone || !mayReadComments(viewer, post)) continue;
    // Of one that is deleted or hidden, answers keep the place, by its id.
    const isAnswered = existing(world.comments).some(({ parent }) => parent === comment.name);
    if (isAnswered || !comment.isGone) learn(comment.id);
    if (comment.isGone || !seesComment(viewer, comment)) continue;
    if (viewer.role === 'admin') learn(...Object.values(comment.reports));
    learn(comment.hidden);
    const { id = null, username = null, fullName = null } = world.accounts[comment.author ?? ''] ?? {};
    learn(comment.id, comment.word, id, username, fullName);
  }
  for (const file of existing(world.files)) if (mayHave(world, viewer, file)) learnFile(file);
  if (viewer.account !== null) learnOwn(viewer.account);
  if (viewer.role === 'admin') {
    for (const { id, username, fullName } of existing(world.accounts)) learn(id, username, fullName);
    for (const { word } of Object.values(world.tags)) learn(word);
    // The history shows the names of that time.
    for (const { id, username } of Object.values(world.accounts)) learn(id, username);
    for (const { id, title, isInHistory } of Object.values(world.posts)) if (isInHistory) learn(id, title);
    for (const { id, label } of Object.values(world.tokens)) learn(id, label);
    for (const { formerWords = [] } of Object.values(world.tags)) learn(...formerWords);
    for (const { id, label } of Object.values(world.invitations)) learn(id, label);
    for (const account of Object.values(world.accounts)) learnProposed(account);
    for (const { id, label } of Object.values(world.passkeys)) learn(id, label);
    for (const { id, label } of Object.values(world.webhooks)) learn(id, label);
  }
  return known;

  function learnFile(file: StoredFile | undefined) {
    if (file !== undefined) learn(file.id, file.word, file.bytesWord);
  }
  function learnProposed({ proposed = [] }: Account) {
    for (const { email, word } of proposed) learn(email.split('@')[0] ?? '', word);
  }
  function learnOwn(account: Account) {
    const { name, id, username, fullName } = account;
    learn(id, username, fullName);
    learnProposed(account);
    for (const session of Object.values(world.sessions)) {
      if (session.account === name && session.isOpen) learn(session.device);
    }
    for (const token of Object.values(world.tokens)) {
      if (token.account === name) learn(token.id, token.label);
    }
    for (const passkey of Object.values(world.passkeys)) {
      if (passkey.account === name) learn(passkey.id, passkey.label);
    }
  }
}

/** Every id that the server has given, with the name of its thing. */
export function allIds(world: World): Map<string, string> {
  const { accounts, posts, comments, files, tokens, invitations, passkeys, webhooks } = world;
  const kinds = [accounts, posts, comments, files, tokens, invitations, passkeys, webhooks];
  const all: { id: string; name: string }[] = kinds.flatMap(kind => Object.values(kind));
  return new Map(all.map(({ id, name }) => [id, name]));
}
