import EmailReplyParser from 'email-reply-parser';
import { fromHtml } from 'hast-util-from-html';
import { toText } from 'hast-util-to-text';
import PostalMime, { type Email } from 'postal-mime';
import { SKIP, visit } from 'unist-util-visit';
import { commentMaxCharacters } from '../../../contract/constants.ts';

/** A mail that somebody or something has sent us. */
export type IncomingMail = {
  /** Every address that it names as where it goes. */
  to: readonly string[];
  from: string;
  messageId: string;
  /** What its writer has added, without quotes of other mails and without a signature. */
  words: string;
  /** Whether a program has sent it: nothing answers it (RFC 3834). */
  isAutomatic: boolean;
  /** The address to which a mail of ours could not be delivered for good, and why (RFC 3464). */
  bounce: { address: string; reason: string } | undefined;
  /** Whether the server that took it says that its sender is forged. */
  isForged: boolean;
};

/**
 * The patterns of the library take longer with each character. What is cut here is longer than any comment.
 */
const maxWords = 4 * commentMaxCharacters;
/** Parts within parts that are read: nobody who writes has more. */
const parsing = { maxNestingDepth: 20, maxHeadersSize: 256 * 1024 };

/** Reads a mail. Throws for one that is none. */
export async function readMail(source: Uint8Array): Promise<IncomingMail> {
  const mail = await PostalMime.parse(source, parsing);
  const values = (name: string) => mail.headers.filter(({ key }) => key === name).map(({ value }) => value);
  const named = ['delivered-to', 'x-original-to', 'envelope-to', 'to', 'cc'].flatMap(values);
  return {
    to: named.flatMap(value => value.match(/[^\s<>,;:"()]+@[^\s<>,;:"()]+/g) ?? []),
    from: mail.from?.address ?? '',
    messageId: /^<[\x21-\x7e]{1,250}>$/.exec(mail.messageId ?? '')?.[0] ?? '',
    words: wordsOf(mail),
    isAutomatic: isAutomatic(mail, values),
    bounce: bounceIn(mail),
    // Only the first was added by our own server: whoever writes a mail can add others.
    isForged: /\bdmarc\s*=\s*fail\b/i.test(values('authentication-results')[0] ?? ''),
  };
}

function isAutomatic(mail: Email, values: (name: string) => string[]): boolean {
  const submitted = values('auto-submitted')[0]?.trim().toLowerCase() ?? 'no';
  const type = values('content-type')[0] ?? '';
  return (
    (submitted !== '' && !submitted.startsWith('no')) ||
    values('precedence').some(value => /^\s*(bulk|junk|list|auto_reply)\s*$/i.test(value)) ||
    values('x-autoreply').length > 0 ||
    values('x-autorespond').length > 0 ||
    values('list-id').length > 0 ||
    values('return-path').some(value => value.trim() === '<>') ||
    /^\s*multipart\/report\b/i.test(type) ||
    /^(mailer-daemon|postmaster|no-?reply)@/i.test(mail.from?.address ?? '')
  );
}

/** What a report says of the one whom a mail did not reach; undefined where it may still, or another may. */
function bounceIn({ attachments }: Email): IncomingMail['bounce'] {
  const report = attachments.find(({ mimeType }) => mimeType === 'message/delivery-status');
  if (report === undefined) return undefined;
  const { content } = report;
  const text = typeof content === 'string' ? content : new TextDecoder().decode(content);
  const field = (name: string) =>
    new RegExp(`^${name}:(.*(?:\r?\n[ \t].*)*)`, 'im').exec(text)?.[1]?.trim() ?? '';
  const address = field('Original-Recipient') || field('Final-Recipient');
  // A full mailbox may be emptied, and what a server does not take from this sender says nothing of the
  // address.
  const isForGood = /^5\.(?!7\.|2\.2)/.test(field('Status')) && /^failed\b/i.test(field('Action'));
  if (!isForGood) return undefined;
  return {
    address: address.replace(/^[\w-]+;\s*/, '').toLowerCase(),
    reason:
      field('Diagnostic-Code')
        .replace(/^[\w-]+;\s*/, '')
        .replaceAll(/\s+/g, ' ') || `Status ${field('Status')}`,
  };
}

/** Lines with which mail programs begin what is quoted, which the library does not know. */
const quoteBegins: readonly RegExp[] = [
  // Outlook draws a line above the headers of what it quotes.
  /^_{20,}\s*$/,
  /^-{2,} ?(Original Message|Ursprüngliche Nachricht|Message d'origine|Mensaje original|Messaggio originale|Oorspronkelijk bericht) ?-{2,}\s*$/i,
];

function wordsOf({ text, html = '' }: Email): string {
  const lines = (text ?? textOf(html)).replaceAll(/\r\n?/g, '\n').split('\n');
  const end = lines.findIndex(line => quoteBegins.some(begins => begins.test(line)));
  const own = lines.slice(0, end < 0 ? undefined : end).join('\n');
  return new EmailReplyParser().parseReply(own.slice(0, maxWords)).trim();
}

/** The text of a mail that is only HTML, without what it quotes. */
function textOf(html: string): string {
  const tree = fromHtml(html);
  visit(tree, 'element', (node, index, parent) => {
    const isQuote =
      node.tagName === 'blockquote' || /gmail_quote|yahoo_quoted/.test(`${node.properties.className}`);
    if (!isQuote || parent === undefined || index === undefined) return undefined;
    parent.children.splice(index, 1);
    return [SKIP, index];
  });
  return toText(tree);
}
