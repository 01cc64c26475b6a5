import PostalMime from 'postal-mime';
import type { ReceivedMail } from '../support/smtp.ts';
import { allowedFor } from './asking.ts';
import { leaksIn } from './leaks.ts';
import { admins } from './model/accounts.ts';
import {
  digestFor,
  digestsDue,
  isMailed,
  isSureOf,
  makeDigests,
  openedBy,
  takeOpening,
} from './model/new-post-mails.ts';
import { viewerOf } from './model/rule.ts';
import { type Account, emailOf, existing, type Post, type World } from './model/world.ts';
import { wordsIn } from './words.ts';

/** A mail as its reader sees it: the text in both forms, and the headers. */
export type Mail = {
  to: string;
  text: string;
  isOfPost: boolean;
  isDigest: boolean;
  /** About the posts that newly given tags open. */
  isOpening: boolean;
  isLetIn: boolean;
  replyTo: string;
};

export async function readMail({ to, source }: ReceivedMail): Promise<Mail> {
  const { subject = '', text = '', html = '', headers, replyTo } = await PostalMime.parse(source);
  const all = [subject, text, html, JSON.stringify(headers)];
  const isOfPost = /^precedence: bulk/im.test(source);
  const isOfPosts = !isOfPost && /^list-id: <posts\./im.test(source);
  const isOpening = isOfPosts && subject.startsWith('You can now read ');
  const isDigest = isOfPosts && !isOpening;
  const isLetIn = text.includes('shared it with you, as you asked');
  return {
    ...{ to, text: all.join('\n'), isOfPost, isDigest, isOpening, isLetIn },
    replyTo: replyTo?.[0]?.address ?? '',
  };
}

/** The worlds that ask for these mails, as they are after them; without any, what is wrong with the first. */
export function judgeMails(
  worlds: readonly World[],
  mails: readonly Mail[],
  now: number,
): { right: World[]; findings: string[] } {
  for (const world of worlds) makeDigests(world);
  const judged = worlds.map(world => ({ world, findings: wrongMails(world, mails, now) }));
  const right = judged.filter(({ findings }) => findings.length === 0).map(({ world }) => world);
  for (const world of right) takeLinks(world, mails);
  return { right, findings: judged[0]?.findings ?? [] };
}

/**
 * What is wrong with the mails of a site, compared with a world: words that a reader may not know, and people
 * who were told of a new post and should not have been, or should have been and were not. `now` is the
 * clock of the site by now, by which digests may be due that are not by that of the world.
 */
function wrongMails(world: World, mails: readonly Mail[], now: number): string[] {
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
  const sent = mails.flatMap(mail => {
    const posts = mail.isOfPost
      ? [postIn(world, mail)]
      : mail.isDigest || mail.isOpening
        ? postsIn(world, mail)
        : [];
    return posts.map(post => ({ mail, post }));
  });
  const expected = existing(world.posts)
    .filter(post => world.unannounced.includes(post.name))
    .flatMap(post => readersToTell(world, post).map(account => ({ post, to: emailOf(account) })));
  const key = (post: string | undefined, to: string) => `${to} is told of ${post}`;
  const actual = sent.map(({ mail, post }) => key(post?.name, mail.to));
  const digests = world.digests.flatMap(digest => digestFor(world, digest));
  const perhaps = digestsDue(world, now).flatMap(digest => digestFor(world, digest));
  const opened = world.openings.flatMap(opening => openedBy(world, opening));
  const later = [...digests, ...opened].filter(({ isSure }) => isSure);
  const all = [...new Set([...expected, ...later].map(({ post, to }) => key(post.name, to)))];
  // Who is told in the same moment that they were let in hears of the post by one mail or by both.
  const letIn = mails.filter(({ isLetIn }) => isLetIn).map(mail => key(postIn(world, mail)?.name, mail.to));
  const wanted = all.filter(each => !letIn.includes(each));
  const possible = [...digests, ...perhaps, ...opened].map(({ post, to }) => key(post.name, to));
  const allowed = [...all, ...possible];
  const wrong = [
    ...actual.filter((each, index) => !allowed.includes(each) || actual.indexOf(each) !== index),
    ...wanted.filter(each => !actual.includes(each)).map(each => `not true: ${each}`),
  ];
  const lost = sent.flatMap(({ mail, post }) =>
    wordsTold(mail, post)
      .filter(word => word && !mail.text.includes(word))
      .map(word => `the mail to ${mail.to} of ${post?.name} lacks ${word}`),
  );
  return [...leaks, ...wrong.map(each => `mail: ${each}`), ...lost];
}

/** A mail of one post holds its text, a digest what it is called. */
function wordsTold({ isDigest, isOpening }: Mail, post: Post | undefined) {
  if (isDigest || isOpening) return [post?.title ?? post?.head, post?.description];
  return [post?.title, post?.description, post?.head, post?.tail];
}

/** Subscribers who may read a post, once it is published (decision 28). */
function readersToTell(world: World, post: Post): Account[] {
  return existing(world.accounts).filter(account => !account.hasDigest && isMailed(world, account, post));
}

function postIn(world: World, { text }: Mail): Post | undefined {
  const id = /\/post\/([\w-]+)/.exec(text)?.[1];
  return Object.values(world.posts).find(post => post.id === id);
}

function postsIn(world: World, { text }: Mail): Post[] {
  const ids = [...text.matchAll(/\/post\/([\w-]+)/g)].map(([, id]) => id);
  return Object.values(world.posts).filter(post => ids.includes(post.id));
}

/** An invitation goes to somebody without an account: it says which admin invites. */
function strangersWords(world: World, { to }: Mail): string[] {
  return [...wordsIn(to), ...admins(world).flatMap(({ username, fullName }) => [username, fullName])];
}

/** What mails may name beside what an account reads: its browsers and programs, and what it was told of. */
function ownWords(world: World, { name, id, username, fullName }: Account): string[] {
  const sessions = Object.values(world.sessions).filter(session => session.account === name);
  // A mail that answers one of theirs links to its post.
  const mailed = Object.values(world.posts).filter(post => post.mailedTo?.includes(name));
  const known = mailed.map(post => post.id);
  return [id, username, fullName, ...known, ...sessions.map(session => session.device)];
}

/**
 * Notes who was told of which post, and the links that only a mail holds: those that confirm an address and
 * those that log in. The newest counts.
 */
function takeLinks(world: World, mails: readonly Mail[]): void {
  // Those that are sure have been sent, or have told nobody of anything.
  const waiting = world.openings.filter(opening => !isSureOf(world, opening));
  world.openings = waiting.map(opening => ({ ...opening, isNew: false }));
  world.unannounced = [];
  world.digests = [];
  world.letIn = [];
  for (const mail of mails) {
    const { to, text } = mail;
    const token = /\/confirm\?token=([\w-]+)/.exec(text)?.[1];
    const signInToken = /\/sign-in\?token=([\w-]+)/.exec(text)?.[1];
    const account = existing(world.accounts).find(each => emailOf(each) === to);
    if (account !== undefined && mail.isOpening) takeOpening(world, account, postsIn(world, mail));
    if (account !== undefined && (mail.isOfPost || mail.isDigest || mail.isOpening || mail.isLetIn))
      for (const post of postsIn(world, mail)) {
        post.mailedTo = [...(post.mailedTo ?? []), account.name];
        if (mail.replyTo !== '') account.replyTo = { ...account.replyTo, [post.name]: mail.replyTo };
      }
    if (signInToken !== undefined && account !== undefined)
      account.signInLink = { token: signInToken, madeAt: world.now, isOpen: true };
    if (token !== undefined && account !== undefined) account.link = { token, isOpen: true };
  }
}
