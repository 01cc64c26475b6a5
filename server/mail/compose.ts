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
        { text: 'You get this mail because you subscribed to new posts.' },
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
        'Somebody, probably you, asked for a new password for your account. The link works once, for an hour.',
        'If it was not you, there is nothing to do: your password stays as it is.',
      ],
      action: { label: 'Choose a new password', url: `${site.publicUrl}/reset-password?token=${token}` },
      footer: [],
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
      subject: `Confirm your e-mail address for ${site.siteTitle}`,
      heading: 'Confirm your e-mail address',
      paragraphs: [
        isChange
          ? `The account ${username} is to have this address. Please confirm that account and address are yours; the link works once, for a day.`
          : `The account ${username} was made with this address. Please confirm that account and address are yours; the link works once, for a day.`,
        'If you do not know the account, do not confirm it: whoever made it could pass for you.',
      ],
      action: { label: 'Confirm the address', url: `${site.publicUrl}/confirm?token=${token}` },
      footer: [],
    },
    site,
  );
}

/** To the address that an account has, as soon as another is asked for. It says no word of the new one. */
export function movingMail(site: Site, username: string): Written {
  return write(
    {
      subject: `Another e-mail address was asked for your account at ${site.siteTitle}`,
      heading: 'Is this you?',
      paragraphs: [
        `Somebody, probably you, asked to give the account ${username} another e-mail address. It changes when the link that was mailed to the new address is used.`,
        'If it was not you, choose a new password now: this ends the link, and every session.',
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
      subject: `The e-mail address of your account at ${site.siteTitle} was changed`,
      heading: 'Your e-mail address was changed',
      paragraphs: [
        `The account ${username} has another e-mail address from now on. This is the last mail to this one.`,
        'If it was not you, tell an admin of the site at once.',
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
      subject: `An access token was made for your account at ${site.siteTitle}`,
      heading: 'An access token was made',
      paragraphs: [
        `With the token ‘${name}’ a program can act as ${username}.`,
        'If it was not you, revoke it on your account page and choose a new password, which ends every token and session.',
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
        'Your account was approved. You can read what is shared with you, like posts and comment.',
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
      subject: waiting === 1 ? `${some} waits for approval` : `${waiting} people wait for approval`,
      heading: waiting === 1 ? 'Somebody waits for approval' : `${waiting} people wait for approval`,
      paragraphs: [`Waiting: ${who}.`],
      action: { label: 'Decide', url: `${site.publicUrl}/admin` },
      footer: [{ text: 'You get this mail because you are an admin. It comes at most once an hour.' }],
    },
    site,
  );
}

export function testMail(site: Site): Written {
  return write(
    {
      subject: `Test mail from ${site.siteTitle}`,
      heading: 'It works',
      paragraphs: ['This mail was sent from the mail page of the administration.'],
      footer: [],
    },
    site,
  );
}
