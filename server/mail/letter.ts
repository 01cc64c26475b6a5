import { html, raw } from 'hono/html';
import { paletteOf, seedOf } from '../../contract/look.ts';
import type { Post } from '../../contract/post.ts';
import { sitePictureAt } from '../../contract/site-pictures.ts';
import type { SiteSettings } from '../../contract/site-settings.ts';
import type { ReadContext } from '../access/context.ts';
import type { ChangeRecord } from '../db/changes/record.ts';
import { startTags } from '../markdown/start-tags.ts';

/** The site's properties that mails use. */
export type MailSite = Pick<SiteSettings, 'title' | 'timeZone' | 'icon' | 'accent'> & { publicUrl: string };

/** The site as a mail that is written now describes it. */
export async function mailSite({
  changes,
  settings,
  config: { publicUrl },
}: Pick<ReadContext, 'settings'> & {
  changes: ChangeRecord;
  config: { publicUrl: string };
}): Promise<MailSite> {
  // A process that only does background work learns of changes by nothing else.
  await changes.caughtUp();
  return { ...(await settings()), publicUrl };
}

/** The tags that restrict who may read a post; none for one that every visitor may read. */
export async function audienceOf(
  deps: Pick<ReadContext, 'catalogue'>,
  { tags }: Pick<Post, 'tags'>,
): Promise<string[]> {
  const catalogue = await deps.catalogue();
  const open = new Set([...catalogue.defaultTagIds].map(id => catalogue.tags.get(id)?.name));
  return tags.filter(tag => !open.has(tag));
}

/** People forward mails: a mail about a restricted post says whom it is for. */
export function forWhom(audience: readonly string[]): string[] {
  if (audience.length === 0) return [];
  const tags = audience.map(tag => `“${tag}”`).join(', ');
  return [`This post is only for those who may read ${tags}. Please do not forward this email.`];
}

/** Says which videos and recordings a post has: a mail does not play them. Empty for none. */
export function toPlay({ attachments, html }: Post): string[] {
  const tags = [...html.matchAll(startTags)].map(([tag]) => tag);
  const parts = (['video', 'audio'] as const).flatMap(kind => {
    const attached = attachments.filter(({ type }) => type.startsWith(`${kind}/`));
    const count = attached.length + tags.filter(tag => tag.startsWith(`<${kind} `)).length;
    const name = kind === 'video' ? 'video' : 'recording';
    return count === 0 ? [] : [count === 1 ? `a ${name}` : `${count} ${name}s`];
  });
  return parts.length === 0 ? [] : [`With ${parts.join(' and ')}, which the page plays.`];
}

/** Where an admin answers access requests and proposals; undefined if none waits. */
export function pathOfAsked(requests: readonly unknown[], proposals: readonly unknown[]): string | undefined {
  if (requests.length > 0) return '/admin#requests';
  return proposals.length > 0 ? '/admin/invitations#proposals' : undefined;
}

/** The last line of a mail to an admin about waiting decisions, with the link that ends such mails. */
export const toAdmin = (stop: string) => [
  { text: 'You get this email because you are an admin. It is sent at most once an hour.' },
  { text: 'Unsubscribe from these emails', url: stop },
];

/** The last lines of a mail about new posts, with the link that ends such mails. */
export const toSubscriber = (site: MailSite, unsubscribe: string) => [
  { text: 'You get this email because you subscribed to new posts.' },
  { text: 'Unsubscribe', url: unsubscribe },
  { text: 'Choose how often', url: `${site.publicUrl}/profile#mail` },
];

/** The site's words, or somebody else's with their language if it is not English. */
type Words =
  | string
  | {
      quoted: string;
      lang: string | undefined;
      /** The same as sanitised HTML, with its pictures. */
      whole?: string;
    };

/** The content of a mail: paragraphs, one thing to do, and a last line. */
type Letter = {
  subject: string;
  heading: Words;
  paragraphs: readonly Words[];
  links?: readonly { label: Words; url: string; words: readonly Words[] }[];
  action?: { label: string; url: string };
  footer?: readonly { text: string; url?: string }[];
};

/** A letter in both forms, as a mail carries it. */
export type Written = { subject: string; text: string; html: string };

/**
 * Both forms of a letter. Everything is escaped by hono's `html`; the few styles are inline, as mail programs
 * require.
 */
export function writeLetter({ title, icon, accent, publicUrl }: MailSite, letter: Letter): Written {
  const { subject, heading, paragraphs, links = [], action, footer = [] } = letter;
  const text = [
    textOf(heading),
    ...paragraphs.map(textOf),
    ...links.map(({ label, url, words }) => [textOf(label), ...words.map(textOf), url].join('\n')),
    ...(action === undefined ? [] : [`${action.label}:\n${action.url}`]),
    ['-- ', title, ...footer.map(line => (line.url ? `${line.text}: ${line.url}` : line.text))].join('\n'),
  ].join('\n\n');
  const sans = raw("font-family:'Helvetica Neue',Arial,sans-serif");
  const markup = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${subject}</title></head>
<body style="margin:0;padding:24px 16px">
<div style="max-width:560px;margin:0 auto;font-family:Georgia,serif;font-size:17px;line-height:1.6;overflow-wrap:anywhere;word-break:break-word">
<p dir="auto" style="${sans};font-size:13px;letter-spacing:.02em;margin:0 0 24px">${icon === '' ? '' : html`<img src="${publicUrl}${sitePictureAt('icon', icon, 180)}" width="24" height="24" alt="" style="vertical-align:middle;border-radius:3px;margin-right:8px">`}${title}</p>
<h1 dir="auto"${langOf(heading)} style="font-size:24px;line-height:1.25;font-weight:600;margin:0 0 16px">${textOf(heading)}</h1>
${paragraphs.map(paragraphOf)}
${links.map(({ label, url, words }) => html`<p dir="auto"${langOf(label)} style="margin:24px 0 0;font-weight:600"><a href="${url}">${textOf(label)}</a></p>\n${words.map(some => html`<p dir="auto"${langOf(some)} style="margin:4px 0 0;white-space:pre-line">${textOf(some)}</p>\n`)}`)}
${action === undefined ? '' : html`<p style="margin:24px 0"><a href="${action.url}" style="${sans};font-size:15px;display:inline-block;padding:12px 18px;border-radius:3px;background:${buttonOf(accent)};color:#ffffff;text-decoration:none">${action.label}</a></p>`}
<p style="${sans};font-size:12px;line-height:1.5;margin:32px 0 0;padding-top:12px;border-top:1px solid #b9bdb6">${footer.map(
    line => html`${line.url ? html`<a href="${line.url}">${line.text}</a>` : line.text}<br>`,
  )}</p>
</div></body></html>`;
  return { subject, text: `${text}\n`, html: String(markup) };
}

/** The colour of a button: mail programs know no `light-dark()`. */
const buttonOf = (accent: string) => paletteOf(accent)?.accent[0] ?? seedOf(accent);

function paragraphOf(words: Words) {
  if (typeof words !== 'string' && words.whole !== undefined)
    return html`<div dir="auto">${raw(words.whole)}</div>\n`;
  return html`<p dir="auto"${langOf(words)} style="margin:0 0 16px;white-space:pre-line">${textOf(words)}</p>\n`;
}

const textOf = (words: Words) => (typeof words === 'string' ? words : words.quoted);

function langOf(words: Words) {
  return typeof words === 'string' || words.lang === undefined ? '' : html` lang="${words.lang}"`;
}
