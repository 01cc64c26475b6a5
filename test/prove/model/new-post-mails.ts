import { mayRead, viewerOf } from './rule.ts';
import { type Account, emailOf, existing, type Post, type World } from './world.ts';

type Digest = World['digests'][number];
type Opening = World['openings'][number];

/** `isSure` is false where the mail may also come later, or tell of the post or not. */
type Telling = { post: Post; to: string; isSure: boolean };

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** The hour of a digest for those who have chosen none. */
const usualHour = 8;
/** A digest is made so long after its hour. */
const settleMs = 2 * minute;

/** Whether a subscriber gets a mail about a post, if it is announced to them. */
export function isMailed(world: World, account: Account, post: Post): boolean {
  if (!account.isSubscribed || account.status === 'denied') return false;
  if (post.mailedTo?.includes(account.name)) return false;
  // Without a decision of an admin an unconfirmed address may belong to somebody else.
  const isSure = account.isConfirmed || (account.status === 'approved' && !account.isInvited);
  return isSure && mayRead(viewerOf(world, account), post);
}

/** The digests whose hour has come by a moment. */
export function digestsDue(world: World, now: number): Digest[] {
  return existing(world.accounts).flatMap(account => {
    const { name, isSubscribed, hasDigest, digestSince: since = 0 } = account;
    const until = lastSlot(now - settleMs, account.digestHour ?? usualHour);
    return isSubscribed && hasDigest && since < until ? [{ account: name, since, until }] : [];
  });
}

/** Makes the digests that are due by the clock of the world. */
export function makeDigests(world: World): void {
  for (const digest of digestsDue(world, world.now)) {
    world.digests.push(digest);
    const account = world.accounts[digest.account];
    if (account !== undefined) account.digestSince = digest.until;
  }
}

/** The last moment, now or before, at which it was this hour in UTC. */
const lastSlot = (now: number, at: number) => Math.floor((now - at * hour) / day) * day + at * hour;

/** The hour that begins next, in UTC. */
export const nextHour = (now: number) => (new Date(now).getUTCHours() + 1) % 24;

/**
 * What a digest tells of. Which came first, a subscription or a post of the same step, only the clock of a
 * separate process says; and its clock is a little ahead when it notes a post.
 */
export function digestFor(world: World, { account: name, since, until }: Digest): Telling[] {
  const account = world.accounts[name];
  if (account === undefined || account.isGone) return [];
  const early = since % hour === 0 ? since - minute : since;
  return existing(world.posts).flatMap(post => {
    const { announcedAt: at } = post;
    if (at === undefined || at < early || at > until || !isMailed(world, account, post)) return [];
    const isWithin = at > since && (at < until - minute || until % hour > 0);
    return [{ post, to: emailOf(account), isSure: isWithin }];
  });
}

/** The posts that tags open to an account which was given them, and of which it was not told. */
export function openedBy(world: World, opening: Opening): Telling[] {
  const account = world.accounts[opening.account];
  if (account === undefined || account.isGone || account.isAdmin) return [];
  const { tags } = viewerOf(world, account);
  const given = opening.tags.filter(tag => tags.has(tag) && !world.defaults.includes(tag));
  return existing(world.posts)
    .filter(({ publishedAt, shownIn }) => publishedAt !== null && shownIn === undefined)
    .filter(post => post.author !== account.name && post.tags.some(tag => given.includes(tag)))
    .filter(post => isMailed(world, account, post))
    .map(post => ({ post, to: emailOf(account), isSure: isSureOf(world, opening) }));
}

/** Whether the mail of given tags does not wait for another mail, nor for the hour of a digest. */
export function isSureOf(world: World, { account: name, isNew }: Opening): boolean {
  const { unannounced, digests, letIn, openings } = world;
  const isAlone = openings.filter(({ account }) => account === name).length === 1;
  const isFirst = unannounced.length === 0 && digests.length === 0 && !letIn.includes(name);
  return isNew && isAlone && isFirst && !world.accounts[name]?.hasDigest;
}

/** Takes the mail of given tags that told of these posts from those that wait. */
export function takeOpening(world: World, { name }: Account, posts: readonly Post[]): void {
  const sent = world.openings.find(opening => {
    const opened = openedBy(world, opening).map(({ post }) => post);
    return opening.account === name && posts.every(post => opened.includes(post));
  });
  world.openings = world.openings.filter(opening => opening !== sent);
}
