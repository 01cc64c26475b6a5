import PostalMime from 'postal-mime';
import type { ReceivedMail } from '../support/smtp.ts';
import { allowedFor } from './asking.ts';
import { leaksIn } from './leaks.ts';
import { mayRead, viewerOf } from './model/rule.ts';
import { type Account, emailOf, existing, type Post, type World } from './model/world.ts';
import { wordsIn } from './words.ts';

/** A mail as its reader sees it: the text in both forms, and the headers. */
export type Mail = { to: string; text: string; isOfPost: boolean; isDigest: boolean; replyTo: string };

export async function readMail({ to, source }: ReceivedMail): Promise<Mail> {
  const { subject = '', text = '', html = '', headers, replyTo } = await PostalMime.parse(source);
  const all = [subject, text, html, JSON.stringify(headers)];
  const isOfPost = /^precedence: bulk/im.test(source);
  const isDigest = !isOfPost && /^list-id: <posts\./im.test(source);
  return { to, text: all.join('\n'), isOfPost, isDigest, replyTo: replyTo?.[0]?.address ?? '' };
}

/**
 * What is wrong with the mails of a site, compared with a world: words that a reader may not know, and people
 * who were told of a new post and should not have been, or should have been and were not.
 */
export function wrongMails(world: World, mails: readonly Mail[]): string[] {
  const leaks = mails.flatMap(mail => {
    const account = Object.values(world.accounts).find(each => emailOf(each) === mail.to);
    const viewer = viewerOf(world, account ?? null);
    const allowed = allowedFor(
      world,
      viewer,
      account === undefined ? strangersWords(world, mail) : ownWords(world, account),
    );
    return leaksIn(world, mail.text, allowed).map(found => `a mail to ${mail.to} tells ${found}`);
  });
  const told = mails.flatMap(mail => {
    const posts = mail.isOfPost ? [postIn(world, mail)] : mail.isDigest ? postsIn(world, mail) : [];
    return posts.map(post => ({ mail, post }));
  });
  const expected = existing(world.posts)
    .filter(post => world.unannounced.includes(post.name))
    .flatMap(post => readersToTell(world, post).map(account => ({ post, to: emailOf(account) })));
  const key = (post: string | undefined, to: string) => `${to} is told of ${post}`;
  const actual = told.map(({ mail, post }) => key(post?.name, mail.to));
  const digests = world.digests.flatMap(digest => digestFor(world, digest));
  const later = digests.filter(({ isSure }) => isSure);
  const wanted = [...new Set([...expected, ...later].map(({ post, to }) => key(post.name, to)))];
  const allowed = [...wanted, ...digests.map(({ post, to }) => key(post.name, to))];
  const wrong = [
    ...actual.filter((each, index) => !allowed.includes(each) || actual.indexOf(each) !== index),
    ...wanted.filter(each => !actual.includes(each)).map(each => `not true: ${each}`),
  ];
  const lost = told.flatMap(({ mail, post }) =>
    wordsTold(mail, post)
      .filter(word => word && !mail.text.includes(word))
      .map(word => `the mail to ${mail.to} of ${post?.name} lacks ${word}`),
  );
  return [...leaks, ...wrong.map(each => `mail: ${each}`), ...lost];
}

/** A mail of one post holds its text, a digest what it is called. */
function wordsTold({ isDigest }: Mail, post: Post | undefined) {
  if (isDigest) return [post?.title ?? post?.head, post?.description];
  return [post?.title, post?.description, post?.head, post?.tail];
}

/** Subscribers who may read a post, once it is published (decisions.md 28). */
function readersToTell(world: World, post: Post): Account[] {
  return existing(world.accounts).filter(account => !account.hasDigest && isToldOf(world, account, post));
}

function isToldOf(world: World, account: Account, post: Post): boolean {
  if (!account.isSubscribed || account.status === 'denied') return false;
  if (post.told?.includes(account.name)) return false;
  // Without a decision of an admin an unconfirmed address may belong to somebody else.
  const isSure = account.isConfirmed || (account.status === 'approved' && !account.isInvited);
  return isSure && mayRead(viewerOf(world, account), post);
}

/**
 * What a digest tells of. Which came first, a subscription or a post of the same step, only the clock of a
 * separate process says.
 */
function digestFor(world: World, { account: name, since, until }: World['digests'][number]) {
  const account = world.accounts[name];
  if (account === undefined || account.isGone) return [];
  return existing(world.posts).flatMap(post => {
    const { announcedAt: at } = post;
    if (at === undefined || at < since || at > until || !isToldOf(world, account, post)) return [];
    return [{ post, to: emailOf(account), isSure: at > since }];
  });
}

function postIn(world: World, { text }: Mail): Post | undefined {
  const id = /\/post\/([\w-]+)/.exec(text)?.[1];
  return Object.values(world.posts).find(post => post.id === id);
}

function postsIn(world: World, { text }: Mail): Post[] {
  const ids = [...text.matchAll(/\/post\/([\w-]+)/g)].map(([, id]) => id);
  return Object.values(world.posts).filter(post => ids.includes(post.id));
}

/** An invitation goes to somebody without an account: it says who invites. */
function strangersWords(world: World, { to }: Mail): string[] {
  return [...wordsIn(to), ...Object.values(world.accounts).map(({ username }) => username)];
}

/** What mails may name beside what an account reads: its browsers and programs, and what it was told of. */
function ownWords(world: World, { name, id, username, fullName }: Account): string[] {
  const sessions = Object.values(world.sessions).filter(session => session.account === name);
  // A mail that answers one of theirs links to its post.
  const told = Object.values(world.posts).filter(post => post.told?.includes(name));
  const known = told.map(post => post.id);
  return [id, username, fullName, ...known, ...sessions.map(session => session.device)];
}

/**
 * Notes who was told of which post, and the links that only a mail holds: those that confirm an address and
 * those that log in. The newest counts.
 */
export function takeLinks(world: World, mails: readonly Mail[]): void {
  world.unannounced = [];
  world.digests = [];
  for (const mail of mails) {
    const { to, text } = mail;
    const token = /\/confirm\?token=([\w-]+)/.exec(text)?.[1];
    const signInToken = /\/sign-in\?token=([\w-]+)/.exec(text)?.[1];
    const account = existing(world.accounts).find(each => emailOf(each) === to);
    if (account !== undefined && (mail.isOfPost || mail.isDigest))
      for (const post of postsIn(world, mail)) {
        post.told = [...(post.told ?? []), account.name];
        if (mail.replyTo !== '') account.replyTo = { ...account.replyTo, [post.name]: mail.replyTo };
      }
    if (signInToken !== undefined && account !== undefined)
      account.signInLink = { token: signInToken, madeAt: world.now, isOpen: true };
    if (token !== undefined && account !== undefined) account.link = { token, isOpen: true };
  }
}
