import PostalMime from 'postal-mime';
import type { ReceivedMail } from '../support/smtp.ts';
import { allowedFor } from './asking.ts';
import { leaksIn } from './leaks.ts';
import { mayRead, viewerOf } from './model/rule.ts';
import { type Account, emailOf, existing, type Post, type World } from './model/world.ts';
import { wordsIn } from './words.ts';

/** A mail as its reader sees it: the text in both forms, and the headers. */
export type Mail = { to: string; text: string; isOfPost: boolean };

export async function readMail({ to, source }: ReceivedMail): Promise<Mail> {
  const { subject = '', text = '', html = '', headers } = await PostalMime.parse(source);
  const all = [subject, text, html, JSON.stringify(headers)];
  return { to, text: all.join('\n'), isOfPost: /^precedence: bulk/im.test(source) };
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
  const told = mails.filter(mail => mail.isOfPost).map(mail => ({ mail, post: postIn(world, mail) }));
  const expected = existing(world.posts)
    .filter(post => world.unannounced.includes(post.name))
    .flatMap(post => readersToTell(world, post).map(account => ({ post, to: emailOf(account) })));
  const key = (post: string | undefined, to: string) => `${to} is told of ${post}`;
  const actual = told.map(({ mail, post }) => key(post?.name, mail.to));
  const wanted = expected.map(({ post, to }) => key(post.name, to));
  const wrong = [
    ...actual.filter((each, index) => !wanted.includes(each) || actual.indexOf(each) !== index),
    ...wanted.filter(each => !actual.includes(each)).map(each => `not true: ${each}`),
  ];
  const lost = told.flatMap(({ mail, post }) =>
    [post?.title, post?.description, post?.head, post?.tail]
      .filter(word => word && !mail.text.includes(word))
      .map(word => `the mail to ${mail.to} of ${post?.name} lacks ${word}`),
  );
  return [...leaks, ...wrong.map(each => `mail: ${each}`), ...lost];
}

/** Subscribers who may read a post, once it is published (decisions.md 28). */
function readersToTell(world: World, post: Post): Account[] {
  return existing(world.accounts).filter(account => {
    if (!account.isSubscribed || account.hasDigest || account.status === 'denied') return false;
    if (post.told?.includes(account.name)) return false;
    // Without a decision of an admin an unconfirmed address may belong to somebody else.
    const isSure = account.isConfirmed || (account.status === 'approved' && !account.isInvited);
    return isSure && mayRead(viewerOf(world, account), post);
  });
}

function postIn(world: World, { text }: Mail): Post | undefined {
  const id = /\/post\/([\w-]+)/.exec(text)?.[1];
  return Object.values(world.posts).find(post => post.id === id);
}

/** An invitation goes to somebody without an account: it says who invites. */
function strangersWords(world: World, { to }: Mail): string[] {
  return [...wordsIn(to), ...Object.values(world.accounts).map(({ username }) => username)];
}

/** The browsers and programs of an account, which security notices name. */
function ownWords(world: World, { name, id, username, fullName }: Account): string[] {
  const sessions = Object.values(world.sessions).filter(session => session.account === name);
  return [id, username, fullName, ...sessions.map(session => session.device)];
}

/**
 * Notes who was told of which post, and the links that only a mail holds: those that confirm an address and
 * those that log in. The newest counts.
 */
export function takeLinks(world: World, mails: readonly Mail[]): void {
  world.unannounced = [];
  for (const mail of mails) {
    const { to, text } = mail;
    const token = /\/confirm\?token=([\w-]+)/.exec(text)?.[1];
    const signInToken = /\/sign-in\?token=([\w-]+)/.exec(text)?.[1];
    const account = existing(world.accounts).find(each => emailOf(each) === to);
    const post = mail.isOfPost ? postIn(world, mail) : undefined;
    if (post !== undefined && account !== undefined) post.told = [...(post.told ?? []), account.name];
    if (signInToken !== undefined && account !== undefined)
      account.signInLink = { token: signInToken, madeAt: world.now, isOpen: true };
    if (token !== undefined && account !== undefined) account.link = { token, isOpen: true };
  }
}
