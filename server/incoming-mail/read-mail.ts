import PostalMime, { type Attachment } from 'postal-mime';
import { programBeside } from '../base/program.ts';
import { TextWorker } from '../markdown/text-worker.ts';
import { type MailBody, mostHtml, type OurAddresses } from './own-words.ts';

/** A received mail, without its text. */
type MailParts = {
  /** The attachments of its writer. */
  files: { name: string; type: string; bytes: Uint8Array }[];
  /** Whether a forwarded mail is attached. */
  holdsMail: boolean;
  /** The address that our mail bounced from permanently, and why (RFC 3464). */
  bounce: { address: string; reason: string } | undefined;
};
export type IncomingMail = MailParts & { text: string };

/** Which words of a mail are its text: only its writer's, all of them, or none. */
export type WordsAsked = { words: 'own'; ours?: OurAddresses } | { words: 'whole' | 'none' };

/** Many times what the largest mail takes on a busy machine. Milliseconds. */
const limitMs = 60_000;

/** A worker that reads mails; each for `ms` at most. */
export const mailWorker = (ms = limitMs) =>
  new TextWorker<WordsAsked, IncomingMail>(programBeside(import.meta.url, 'mail-worker'), () => ms);
const siteWorker = mailWorker();

/**
 * Reads a mail in a worker: a mail can be made to take seconds, which nobody else must wait for. Throws if it
 * cannot be read.
 */
export async function readMail(
  source: Uint8Array,
  asked: WordsAsked,
  worker = siteWorker,
): Promise<IncomingMail> {
  // Bytes as characters, which V8 keeps as bytes, too.
  return await worker.run(Buffer.from(source).toString('latin1'), asked);
}

/** The deepest nesting of parts: nobody's mails have more. A mail within a mail is one of its files. */
const parsing = { maxNestingDepth: 20, maxHeadersSize: 256 * 1024, forceRfc822Attachments: true };
/** The parser keeps an object for each line. The largest mail has a third of a million lines of base64. */
const maxLines = 500_000;

/** Where a signature begins in HTML, and of an answer also where a quote does (of Outlook, below a line). */
const signature = /\b(id|class)\s*=\s*["']?[\w -]{0,100}signature/i;
const signatureOrQuote =
  /<blockquote\b|border-top:\s?solid #(E1E1E1|B5C4DF)|\b(id|class)\s*=\s*["']?[\w -]{0,100}(signature|gmail_quote|yahoo_quoted|moz-cite|divRplyFwdMsg|appendonsend)/i;

/** Reads a mail in this thread. Throws if it cannot be read. */
export async function parseMail(
  source: Uint8Array,
  { words }: WordsAsked,
): Promise<MailParts & { body: MailBody }> {
  if (countLines(source) > maxLines) throw new Error(`It has more than ${maxLines} lines.`);
  const { text = '', html = '', attachments } = await PostalMime.parse(source, parsing);
  // Searched once: a mail can have thousands of parts.
  const endAt = html.slice(0, mostHtml).search(words === 'own' ? signatureOrQuote : signature);
  const shownLater = endAt < 0 ? new Set<string>() : shownOnlyFrom(html, endAt);
  return {
    // Some programs send an empty text besides the HTML.
    body: { text: text.trim() === '' ? '' : text, html },
    files: attachments.filter(part => isFile(part, shownLater)).map(fileOf),
    holdsMail: attachments.some(({ mimeType }) => mimeType === 'message/rfc822'),
    bounce: bounceIn(attachments),
  };
}

/** What programs add to mails: signatures of the whole mail, and its keys. */
const ofPrograms = /^application\/(pgp-(signature|encrypted|keys)|(x-)?pkcs7-signature)$/i;

/** Whether a part is a file that no program has added, such as a signature's logo or a quoted picture. */
function isFile(
  { mimeType, filename, related, contentId }: Attachment,
  shownLater: ReadonlySet<string>,
): boolean {
  if (ofPrograms.test(mimeType)) return false;
  // Without a name it is the same text in another form.
  if (!filename && /^text\//i.test(mimeType)) return false;
  return related !== true || !contentId || !shownLater.has(contentId.replace(/^<|>$/g, ''));
}

/** The ids of the parts that HTML shows from a place on, and not before. */
function shownOnlyFrom(html: string, place: number): ReadonlySet<string> {
  const idsIn = (part: string) => part.match(/(?<=\bcid:)[^\s"'<>)]+/gi) ?? [];
  const before = new Set(idsIn(html.slice(0, place)));
  return new Set(idsIn(html.slice(place)).filter(id => !before.has(id)));
}

function fileOf({ filename, mimeType, content }: Attachment): MailParts['files'][number] {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);
  const name = filename || (mimeType === 'message/rfc822' ? 'email.eml' : mimeType.replace('/', '.'));
  return { name, type: mimeType.toLowerCase(), bytes };
}

function countLines(source: Uint8Array): number {
  let count = 0;
  for (let at = source.indexOf(0x0a); at >= 0; at = source.indexOf(0x0a, at + 1)) count += 1;
  return count;
}

/** The address in a bounce; undefined if delivery may still succeed, or if it is not the address's fault. */
function bounceIn(attachments: readonly Attachment[]): MailParts['bounce'] {
  const report = attachments.find(({ mimeType }) => mimeType === 'message/delivery-status');
  if (report === undefined) return undefined;
  const { content } = report;
  const text = typeof content === 'string' ? content : new TextDecoder().decode(content);
  const field = (name: string) =>
    new RegExp(`^${name}:(.*(?:\r?\n[ \t].*)*)`, 'im').exec(text)?.[1]?.trim() ?? '';
  const address = field('Original-Recipient') || field('Final-Recipient');
  // A full mailbox may be emptied, and a refusal of this sender says nothing about the address.
  const isForGood = /^5\.(?!7\.|2\.2)/.test(field('Status')) && /^failed\b/i.test(field('Action'));
  const sentTo = address.replace(/^[\w-]+;\s*/, '').toLowerCase();
  if (!isForGood || !/^[\x21-\x7e]+$/.test(sentTo)) return undefined;
  return {
    address: sentTo,
    reason:
      field('Diagnostic-Code')
        .replace(/^[\w-]+;\s*/, '')
        .replaceAll(/\s+/g, ' ') || `Status ${field('Status')}`,
  };
}
