import type { Element } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { toText } from 'hast-util-to-text';
import { SKIP, visit } from 'unist-util-visit';
import { AppError } from '../../contract/errors.ts';
import { withTimeLimit } from '../markdown/time-limit.ts';

/** The text of a mail; `text` is empty if it is only HTML. */
export type MailBody = { text: string; html: string };

/**
 * Our addresses, which programs of every language name where they introduce a quote: each as its parts, what
 * is before and behind a key.
 */
export type OurAddresses = readonly (readonly string[])[];

/** The most characters of an answer that are read: far more than a comment has, with its quotes. */
const mostOfAnswer = 64 * 1024;
/** The most characters of HTML that are read, without its styles. */
export const mostHtml = 1_000_000;
/** HTML of this length takes a fifth of a second, unless somebody made it to take minutes. Milliseconds. */
const htmlMs = 2_000;

/** The first header of a mail that Outlook quotes, and those that may follow. */
const quotedFrom = /^\*?(From|Von|De|Da|Van)\*?\s?:/i;
const quotedDate = /^\*?(Sent|Date|Gesendet|Datum|Envoyé|Enviado( el)?|Fecha|Inviato|Data|Verzonden)\*?\s?:/i;
const rule =
  /^(_{20,}|-{2,} ?(Original Message|Ursprüngliche Nachricht|Message d['’]origine|Mensaje original|Messaggio originale|Oorspronkelijk bericht) ?-{2,})\s*$/i;
/** How programs introduce a quote; the introduction may be wrapped into three lines. */
const saidStart = /^(On|Am|Le|El|Il|Op)\s/i;
const saidEnd = /(wrote|schrieb|a écrit|escribió|ha scritto|schreef|geschreven)/i;
const phone =
  /^(Sent from|Von meinem|Gesendet von|Envoyé (de|à partir de)|Enviado desde|Inviato da|(Verzonden|Verstuurd) vanaf)\s|^.{0,30}\bOutlook (for|für|pour|para|per|voor) (iOS|Android|Mac)\b( \p{L}{1,14})?\W{0,5}(https?:\S+)?\W{0,5}$/iu;

/**
 * What the writer of an answer has added: without quotes and without the signature below `-- ` (RFC 3676,
 * 4.3). Takes linear time. Throws AppError for HTML that cannot be read.
 */
export function ownWords({ text, html }: MailBody, ours: OurAddresses = []): string {
  const body = text === '' ? ownTextOf(html) : text.slice(0, mostOfAnswer);
  const lines = linesOf(body);
  const own: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line === '-- ' || rule.test(line)) break;
    if (quotedFrom.test(line) && lines.slice(at + 1, at + 5).some(other => quotedDate.test(other))) break;
    const length = saidAt(lines, at) || namedAt(lines, at, ours);
    if (length > 0) {
      at += length - 1;
      const next = lines.slice(at + 1).find(other => other.trim() !== '');
      if (next?.startsWith('>')) continue;
      break;
    }
    if (!line.startsWith('>')) own.push(line);
  }
  return withoutPhone(own);
}

/**
 * The whole text of a mail without the signature below `-- `. Throws AppError for HTML that cannot be read.
 */
export function wholeText({ text, html }: MailBody): string {
  const lines = linesOf(text === '' ? wholeTextOf(html) : text);
  const end = lines.indexOf('-- ');
  return withoutPhone(end < 0 ? lines : lines.slice(0, end));
}

/** The error for an unusable mail of a known writer. */
export const unreadable = () =>
  new AppError('invalid-argument', 'Your email could not be read. Please send it as plain text.');

function ownTextOf(html: string): string {
  const unstyled = withoutStyles(html);
  const end = unstyled.search(outlookQuote);
  return textOf((end < 0 ? unstyled : unstyled.slice(0, end)).slice(0, mostOfAnswer), isQuote);
}

function wholeTextOf(html: string): string {
  const unstyled = withoutStyles(html);
  if (unstyled.length > mostHtml) throw unreadable();
  return textOf(unstyled, () => false);
}

/** HTML without its styles, which can be longer than all the rest. */
function withoutStyles(html: string): string {
  const [first = '', ...others] = html.split(/<style\b/i);
  const behind = others.map(part =>
    part
      .split(/<\/style\b[^>]{0,100}>/i)
      .slice(1)
      .join(''),
  );
  return first + behind.join('');
}

/** What Gmail and Outlook write where the HTML of a mail has a picture. */
const pictureLine = /^\s*\[(image: |cid:)[^\]]{1,200}\]\s*$/;

const linesOf = (text: string) => text.split(/\r\n|\r|\n/).filter(line => !pictureLine.test(line));

/** The lines without the line that phones add to their mails. */
function withoutPhone(lines: readonly string[]): string {
  const end = lines.findLastIndex(line => line.trim() !== '' && !phone.test(line));
  return lines
    .slice(0, end + 1)
    .join('\n')
    .trim();
}

/** How many lines from here introduce a quote; 0 for none. */
function saidAt(lines: readonly string[], at: number): number {
  if (!saidStart.test(lines[at] ?? '')) return 0;
  for (let length = 1; length <= 3; length += 1) {
    const said = lines.slice(at, at + length).join(' ');
    if (/:\s?$/.test(said) && /\d/.test(said) && saidEnd.test(said)) return length;
  }
  return 0;
}

/**
 * How many lines from here, directly above a quote, end in a colon and name one of our addresses and a day; 0
 * for none. As few as possible: the line before may be the writer's.
 */
function namedAt(lines: readonly string[], at: number, ours: OurAddresses): number {
  const isIntroduction = (said: readonly string[]) => {
    const line = said.join(' ').toLowerCase();
    const isNamed = ours.some(parts => parts.every(part => line.includes(part)));
    // An address can have digits, too.
    return (
      isNamed && !said.includes('') && line.split(' ').some(word => /\d/.test(word) && !word.includes('@'))
    );
  };
  for (let length = 1; length <= 3; length += 1) {
    if (!/[:：]\s*$/.test(lines[at + length - 1] ?? '')) continue;
    let next = at + length;
    while (lines[next]?.trim() === '') next += 1;
    if (!lines[next]?.startsWith('>')) continue;
    const said = lines.slice(at, at + length);
    if (isIntroduction(said) && !isIntroduction(said.slice(1))) return length;
  }
  return 0;
}

/** Where Outlook begins a quote in HTML, with all that follows. */
const outlookQuote = /<\w{1,20}\b[^<>]{0,200}\bid\s{0,9}=\s{0,9}["']?(divRplyFwdMsg|appendonsend)\b/i;

const isQuote = ({ tagName, properties }: Element) =>
  tagName === 'blockquote' || /gmail_quote|yahoo_quoted|moz-cite/.test(`${properties.className}`);

/** The text of HTML, without some of its elements. */
function textOf(html: string, isLeftOut: (element: Element) => boolean): string {
  try {
    const read = withTimeLimit(htmlMs, () => {
      const tree = fromHtml(html);
      visit(tree, 'element', (node, index, parent) => {
        if (!isLeftOut(node) || parent === undefined || index === undefined) return undefined;
        parent.children.splice(index, 1);
        return [SKIP, index];
      });
      return toText(tree);
    });
    if (read === undefined) throw unreadable();
    return read.value;
  } catch (error) {
    // Nested too deeply for the stack.
    throw error instanceof RangeError ? unreadable() : error;
  }
}
