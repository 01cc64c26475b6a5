import { html, raw } from 'hono/html';
import type { Post } from '../../contract/posts.ts';
import { cutAtWord } from '../../contract/text.ts';
import type { Config } from '../config.ts';

/** A mail as it is sent, in both forms. */
export type Mail = {
  id: string;
  to: { name: string; address: string };
  subject: string;
  text: string;
  html: string;
  headers: Record<string, string>;
};

/** What a mail says: paragraphs, one thing to do, and a line below. */
type Letter = {
  subject: string;
  heading: string;
  paragraphs: readonly string[];
  action?: { label: string; url: string };
  footer: readonly { text: string; url?: string }[];
};

type Written = Pick<Mail, 'subject' | 'text' | 'html'>;

/** Words of a short post or an excerpt that a mail holds. */
const excerptCharacters = 600;
const subjectCharacters = 60;

/** Both forms of a letter. Everything is escaped by hono's `html`; the few styles stand inline, as mail programs need. */
function write(letter: Letter, { siteTitle }: Pick<Config, 'siteTitle'>): Written {
  const { heading, paragraphs, action, footer } = letter;
  const text = [
    heading,
    ...paragraphs,
    ...(action === undefined ? [] : [`${action.label}:\n${action.url}`]),
    ['-- ', siteTitle, ...footer.map(line => (line.url ? `${line.text}: ${line.url}` : line.text))].join(
      '\n',
    ),
  ].join('\n\n');
  const sans = raw("font-family:'Helvetica Neue',Arial,sans-serif");
  const markup = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${letter.subject}</title></head>
<body style="margin:0;padding:24px 16px">
<div style="max-width:560px;margin:0 auto;font-family:Georgia,serif;font-size:17px;line-height:1.6">
<p style="${sans};font-size:13px;letter-spacing:.02em;margin:0 0 24px">${siteTitle}</p>
<h1 style="font-size:24px;line-height:1.25;font-weight:600;margin:0 0 16px">${heading}</h1>
${paragraphs.map(paragraph => html`<p style="margin:0 0 16px;white-space:pre-line">${paragraph}</p>\n`)}
${action === undefined ? '' : html`<p style="margin:24px 0"><a href="${action.url}" style="${sans};font-size:15px;display:inline-block;padding:12px 18px;border-radius:3px;background:#1c5741;color:#ffffff;text-decoration:none">${action.label}</a></p>`}
<p style="${sans};font-size:12px;line-height:1.5;margin:32px 0 0;padding-top:12px;border-top:1px solid #b9bdb6">${footer.map(
    line => html`${line.url ? html`<a href="${line.url}">${line.text}</a>` : line.text}<br>`,
  )}</p>
</div></body></html>`;
  return { subject: letter.subject, text: `${text}\n`, html: String(markup) };
}

type Site = Pick<Config, 'siteTitle' | 'publicUrl'>;

/** A new post, with what its reader may see of it: a short post itself, an essay's title, description and beginning. */
export function postMail(site: Site, post: Post, text: string, unsubscribe: string): Written {
  const beginning = cutAtWord(text, excerptCharacters);
  const firstLine = cutAtWord(text.split('\n')[0]?.trim() ?? '', subjectCharacters);
  return write(
    {
      subject: post.type === 'essay' ? post.title : firstLine || `New on ${site.siteTitle}`,
      heading: post.type === 'essay' ? post.title : `New on ${site.siteTitle}`,
      paragraphs: (post.type === 'essay' ? [post.description, beginning] : [beginning]).filter(
        paragraph => paragraph !== '',
      ),
      action: { label: 'Read it', url: `${site.publicUrl}/post/${post.id}` },
      footer: [
        { text: 'You get this email because you subscribed to new posts.' },
        { text: 'Unsubscribe', url: unsubscribe },
      ],
    },
    site,
  );
}

export function resetMail(site: Site, token: string): Written {
  return write(
    {
      subject: `Reset your password for ${site.siteTitle}`,
      heading: 'Reset your password',
      paragraphs: [
        'Somebody, probably you, asked to reset the password of your account. The link works once, within an hour.',
        'If this wasn’t you, ignore this email. Your password stays the same.',
      ],
      action: { label: 'Choose a new password', url: `${site.publicUrl}/reset-password?token=${token}` },
      footer: [],
    },
    site,
  );
}

/** To somebody whom an admin invites. The link is theirs alone: it proves that they read this mailbox. */
export function invitationMail(
  site: Site,
  { name, token, days }: { name: string | null; token: string; days: number },
): Written {
  return write(
    {
      subject: `You are invited to ${site.siteTitle}`,
      heading: name === null ? 'You are invited' : `${name}, you are invited`,
      paragraphs: [
        `You can read ${site.siteTitle} with an account of your own. You need no password. The link works once, for ${days === 1 ? 'a day' : `${days} days`}.`,
        'Please do not forward this mail: whoever uses the link first joins in your place.',
      ],
      action: { label: 'See the invitation', url: `${site.publicUrl}/invite?token=${token}` },
      footer: [{ text: `You get this mail because an admin of ${site.siteTitle} entered your address.` }],
    },
    site,
  );
}

/** To an address that an account has or is to have: whoever reads it may not know of the account. */
export function confirmMail(
  site: Site,
  { token, username, isChange }: { token: string; username: string; isChange: boolean },
): Written {
  return write(
    {
      subject: `Confirm your email address for ${site.siteTitle}`,
      heading: 'Confirm your email address',
      paragraphs: [
        isChange
          ? `Somebody, probably you, asked to use this address for the account ${username}. Please confirm that both are yours. The link works once, within a day.`
          : `The account ${username} was created with this address. Please confirm that both are yours. The link works once, within a day.`,
        'If you don’t know this account, don’t confirm it: somebody else may be using your email address.',
      ],
      action: { label: 'Confirm email address', url: `${site.publicUrl}/confirm?token=${token}` },
      footer: [],
    },
    site,
  );
}

/** To the address that an account has, as soon as another is asked for. It says no word of the new one. */
export function movingMail(site: Site, username: string): Written {
  return write(
    {
      subject: `A change of email address was requested for your account at ${site.siteTitle}`,
      heading: 'Is this you?',
      paragraphs: [
        `Somebody, probably you, asked to change the email address of the account ${username}. It changes when the link that we sent to the new address is opened.`,
        'If this wasn’t you, choose a new password now. This cancels the change and signs you out everywhere.',
      ],
      action: { label: 'Choose a new password', url: `${site.publicUrl}/forgot-password` },
      footer: [],
    },
    site,
  );
}

/** To the address that an account had before. It says no word of the new one. */
export function movedMail(site: Site, username: string): Written {
  return write(
    {
      subject: `The email address of your account at ${site.siteTitle} was changed`,
      heading: 'Your email address was changed',
      paragraphs: [
        `The account ${username} now uses another email address. This is the last email to this one.`,
        'If this wasn’t you, contact an admin of the site immediately.',
      ],
      footer: [],
    },
    site,
  );
}

/** To who has an account, when a token was made with which programs act as them. */
export function tokenMail(site: Site, username: string, name: string): Written {
  return write(
    {
      subject: `An access token was created for your account at ${site.siteTitle}`,
      heading: 'An access token was created',
      paragraphs: [
        `With the token ‘${name}’ a program can act as ${username}.`,
        'If this wasn’t you, revoke the token on your account page and choose a new password, which ends all tokens and sessions.',
      ],
      action: { label: 'Go to your account', url: `${site.publicUrl}/account` },
      footer: [],
    },
    site,
  );
}

/** To who has an account, when it was connected with an account elsewhere. */
export function connectedMail(site: Site & Pick<Config, 'openid'>, username: string): Written {
  const provider = site.openid?.name ?? 'another site';
  return write(
    {
      subject: `${provider} was connected with your account at ${site.siteTitle}`,
      heading: `${provider} was connected`,
      paragraphs: [
        `The account ${username} can now be opened with ${provider}, too.`,
        'If it was not you, choose a new password now: this ends the connection, and every session.',
      ],
      action: { label: 'Go to your account', url: `${site.publicUrl}/account` },
      footer: [],
    },
    site,
  );
}

export function approvedMail(site: Site, username: string): Written {
  return write(
    {
      subject: `Your account at ${site.siteTitle} was approved`,
      heading: `Welcome, ${username}`,
      paragraphs: [
        'Your account was approved. You can now read the posts that are shared with you, like them and comment.',
      ],
      action: { label: `Go to ${site.siteTitle}`, url: `${site.publicUrl}/` },
      footer: [],
    },
    site,
  );
}

/** Who waits for approval, to an admin; at most one an hour, however many sign up. */
export function waitingMail(site: Site, usernames: readonly string[], waiting: number): Written {
  const some = usernames.join(', ');
  const more = waiting - usernames.length;
  const who = more > 0 ? `${some} and ${more} more` : some;
  return write(
    {
      subject:
        waiting === 1 ? `${some} is waiting for approval` : `${waiting} people are waiting for approval`,
      heading:
        waiting === 1 ? 'Somebody is waiting for approval' : `${waiting} people are waiting for approval`,
      paragraphs: [`Waiting: ${who}.`],
      action: { label: 'Review accounts', url: `${site.publicUrl}/admin` },
      footer: [{ text: 'You get this email because you are an admin. It is sent at most once an hour.' }],
    },
    site,
  );
}

export function testMail(site: Site): Written {
  return write(
    {
      subject: `Test email from ${site.siteTitle}`,
      heading: 'It works',
      paragraphs: ['This email was sent from the mail page of your site.'],
      footer: [],
    },
    site,
  );
}
