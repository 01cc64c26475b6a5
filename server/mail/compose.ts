import type { Post } from '../../contract/post.ts';
import { cutAtWord, isRepeated } from '../../contract/text.ts';
import { foreignLanguageOf, languageBeside } from '../markdown/language.ts';
import {
  forWhom,
  type MailSite,
  toAdmin,
  toPlay,
  toSubscriber,
  type Written,
  writeLetter,
} from './letter.ts';
import type { MailPicture } from './whole-post.ts';

export type Mail = Written & {
  id: string;
  to: { name: string; address: string };
  headers?: Record<string, string>;
  /** The Reply-To address, if answers become comments. */
  replyTo?: string;
  /** The return path, to which servers report bounces. */
  returnPath?: string;
  pictures?: readonly MailPicture[];
  /** The posts that it tells its reader about, by id. */
  postIds?: readonly string[];
};

/** How many characters of a post's text a mail has, and how many of a short post its subject. */
const excerptCharacters = 600;
const subjectCharacters = 60;

type PostMailParts = {
  text: string;
  /** The whole text as HTML, for readers who prefer that. */
  whole: string | undefined;
  unsubscribe: string;
  audience: readonly string[];
  canReply: boolean;
};

/**
 * A new post, as its reader may see it: a short post itself; an essay's title, description and beginning, or
 * its whole text for readers who prefer that.
 */
export function postMail(
  site: MailSite,
  post: Post,
  { text, whole, unsubscribe, audience, canReply }: PostMailParts,
): Written {
  const beginning = whole === undefined ? cutAtWord(text, excerptCharacters) : text;
  const firstLine = cutAtWord(text.split('\n')[0]?.trim() ?? '', subjectCharacters);
  const lang = foreignLanguageOf(text);
  const played = toPlay(post);
  const quote = (quoted: string | null) => (quoted ? [{ quoted, lang: languageBeside(quoted, lang) }] : []);
  return writeLetter(site, {
    subject: post.type === 'essay' ? post.title : firstLine || `New on ${site.title}`,
    heading: quote(post.title)[0] ?? `New on ${site.title}`,
    paragraphs: [
      ...(post.authorUsername === null ? [] : [`By ${post.authorUsername}`]),
      ...quote(post.type === 'essay' && !isRepeated(post) ? post.description : null),
      ...quote(beginning).map(words => ({ ...words, ...(whole !== undefined && { whole }) })),
      ...played,
      ...forWhom(audience),
    ],
    action: {
      label: played.length > 0 ? 'Open the post' : 'Read it',
      url: `${site.publicUrl}/post/${post.id}`,
    },
    footer: [
      ...(canReply
        ? [{ text: 'Reply to this email to comment. Other readers of the post see your reply.' }]
        : []),
      ...toSubscriber(site, unsubscribe),
    ],
  });
}

/**
 * To somebody whose answer by mail did not become a comment, or only its words (`isAdded`), or whose mail did
 * not become a post (`postId` is null).
 */
export function refusedReplyMail(
  site: MailSite,
  { reason, postId, isAdded }: { reason: string; postId: string | null; isAdded: boolean },
): Written {
  const what = postId === null ? 'Your post' : isAdded ? 'A file of your reply' : 'Your reply';
  return writeLetter(site, {
    subject: `${what} was not added to ${site.title}`,
    heading: `${what} was not added`,
    paragraphs: [reason],
    action:
      postId === null
        ? { label: 'Write it on the site', url: `${site.publicUrl}/admin/posts/new` }
        : { label: 'Open the post', url: `${site.publicUrl}/post/${postId}#comments` },
  });
}

/** The query of a link with a token, which leads to `next` afterwards. */
const linkQuery = (token: string, next: string | undefined) =>
  new URLSearchParams({ token, ...(next !== undefined && next !== '/' && { next }) });

export function resetMail(site: MailSite, token: string, next?: string): Written {
  return writeLetter(site, {
    subject: `Reset your password for ${site.title}`,
    heading: 'Reset your password',
    paragraphs: [
      'Somebody, probably you, asked to reset the password of your account. The link works once, within an hour.',
      'If this wasn’t you, ignore this email. Your password stays the same.',
    ],
    action: {
      label: 'Choose a new password',
      url: `${site.publicUrl}/reset-password?${linkQuery(token, next)}`,
    },
  });
}

export function signInMail(
  site: MailSite,
  { token, next, code }: { token: string; next: string | undefined; code: string | null },
): Written {
  return writeLetter(site, {
    subject: `Log in to ${site.title}`,
    heading: 'Your link to log in',
    paragraphs: [
      'The link works once, within 15 minutes, in the browser in which you open it. Please do not forward this email: whoever uses the link is logged in as you.',
      ...(code === null
        ? []
        : [
            `In the installed app, or on another device, type this code instead, on the page where you asked for the link: ${code}`,
          ]),
      'If you didn’t ask for it, ignore this email. Nothing happens until the link or the code is used.',
    ],
    action: { label: 'Log in', url: `${site.publicUrl}/sign-in?${linkQuery(token, next)}` },
  });
}

/** To an invited person. The link is theirs alone: it proves that they read this mailbox. */
export function invitationMail(
  site: MailSite,
  { name, inviter, token, days }: { name: string | null; inviter: string; token: string; days: number },
): Written {
  return writeLetter(site, {
    subject: `You are invited to ${site.title}`,
    heading: name === null ? 'You are invited' : `${name}, you are invited`,
    paragraphs: [
      `${inviter} invites you to read ${site.title}, with an account of your own. You need no password. The link works once, for ${days === 1 ? 'a day' : `${days} days`}.`,
      'Please do not forward this email: whoever uses the link first joins in your place.',
    ],
    action: { label: 'See the invitation', url: `${site.publicUrl}/invite?token=${token}` },
    footer: [{ text: `You get this email because an admin of ${site.title} entered your address.` }],
  });
}

/** To the current or a new address of an account: its reader may not know of the account. */
export function confirmMail(
  site: MailSite,
  { token, username, isChange }: { token: string; username: string; isChange: boolean },
): Written {
  return writeLetter(site, {
    subject: `Confirm your email address for ${site.title}`,
    heading: 'Confirm your email address',
    paragraphs: [
      isChange
        ? `Somebody, probably you, asked to use this address for the account ${username}. Please confirm that both are yours. The link works once, within a day.`
        : `The account ${username} was created with this address. Please confirm that both are yours. The link works once, within a day.`,
      'If you don’t know this account, don’t confirm it: somebody else may be using your email address.',
    ],
    action: { label: 'Confirm email address', url: `${site.publicUrl}/confirm?token=${token}` },
  });
}

export function approvedMail(site: MailSite, username: string): Written {
  return writeLetter(site, {
    subject: `Your account at ${site.title} was approved`,
    heading: `Welcome, ${username}`,
    paragraphs: [
      'Your account was approved. You can now read the posts that are shared with you, like them and comment.',
    ],
    action: { label: `Go to ${site.title}`, url: `${site.publicUrl}/` },
    footer: [{ text: 'Get new posts by email', url: `${site.publicUrl}/profile#mail` }],
  });
}

export function authorMail(site: MailSite, username: string): Written {
  return writeLetter(site, {
    subject: `You can write posts at ${site.title}`,
    heading: `You are an author now, ${username}`,
    paragraphs: [
      'You can write posts, with tags that you may read yourself, and change and delete them. “Write” and “Posts” are at the top of the site.',
    ],
    action: { label: 'Write a post', url: `${site.publicUrl}/admin/posts/new` },
  });
}

/** Somebody who waits for approval, and their introduction at sign-up. */
export type WaitingPerson = { username: string; introduction: string | null };

/**
 * To an admin, at most once an hour. A stranger's words are in quotation marks, after the name of their
 * author, and plain text in both forms.
 */
export function waitingMail(
  site: MailSite,
  { people, count: waiting, stop }: { people: readonly WaitingPerson[]; count: number; stop: string },
): Written {
  const some = people.map(({ username }) => username).join(', ');
  const more = waiting - people.length;
  const said = people.flatMap(({ username, introduction }) =>
    introduction === null ? [] : [`${username} writes: “${introduction}”`],
  );
  const who = more > 0 ? `${some} and ${more} more` : some;
  return writeLetter(site, {
    subject: waiting === 1 ? `${some} is waiting for approval` : `${waiting} people are waiting for approval`,
    heading:
      waiting === 1 ? 'Somebody is waiting for approval' : `${waiting} people are waiting for approval`,
    paragraphs: [`Waiting: ${who}.`, ...said],
    action: { label: 'Review accounts', url: `${site.publicUrl}/admin` },
    footer: toAdmin(stop),
  });
}

/** To an admin: why there is no new backup, and how old the last one is. */
export function backupFailedMail(
  site: MailSite,
  { error, last }: { error: string; last: string | undefined },
): Written {
  return writeLetter(site, {
    subject: `The backup of ${site.title} failed`,
    heading: 'The backup failed',
    paragraphs: [
      error,
      last === undefined
        ? 'There is no verified backup yet.'
        : `The last verified backup was made on ${last}.`,
    ],
    action: { label: 'See the backups', url: `${site.publicUrl}/admin/backups` },
    footer: [{ text: 'You get this email because you are an admin. It is sent at most once a week.' }],
  });
}

export function testMail(site: MailSite): Written {
  return writeLetter(site, {
    subject: `Test email from ${site.title}`,
    heading: 'It works',
    paragraphs: ['This email was sent from the mail page of your site.'],
  });
}
