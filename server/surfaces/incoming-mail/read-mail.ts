import PostalMime, { type Email } from 'postal-mime';
import { ownWords, unsigned } from './own-words.ts';

/** A mail that somebody or something has sent us. */
export type IncomingMail = {
  /** Empty where it is not one address. */
  from: string;
  messageId: string;
  subject: string;
  /** All of its text but a signature. */
  text: string;
  /** What its writer has added: {@link text} without quotes of other mails. */
  words: string;
  /** The pictures, videos and sounds that it carries. */
  files: { name: string; type: string; bytes: Uint8Array }[];
  /** Whether a program has sent it: nothing answers it (RFC 3834). */
  isAutomatic: boolean;
  /** The address to which a mail of ours could not be delivered for good, and why (RFC 3464). */
  bounce: { address: string; reason: string } | undefined;
  /** Whether the server that took it says that its sender is forged. */
  isForged: boolean;
};

/** Characters of the header that names the sender. */
const maxSender = 1_000;
/** Bytes in which a part that is text must begin. */
const textSearched = 256 * 1024;
/** Parts within parts that are read: nobody who writes has more. */
const parsing = { maxNestingDepth: 20, maxHeadersSize: 256 * 1024 };

/** Reads a mail. Throws for one that is none. */
export async function readMail(source: Uint8Array): Promise<IncomingMail> {
  const mail = await PostalMime.parse(source, parsing);
  const values = (name: string) => mail.headers.filter(({ key }) => key === name).map(({ value }) => value);
  const head = Buffer.from(source.buffer, source.byteOffset, Math.min(source.length, textSearched));
  const hasText = !mail.html || /^content-type:\s*text\/plain/im.test(head.toString('latin1'));
  return {
    from: senderOf(values('from')),
    messageId: /^<[\x21-\x7e]{1,250}>$/.exec(mail.messageId ?? '')?.[0] ?? '',
    subject: mail.subject ?? '',
    text: unsigned(mail, hasText),
    words: ownWords(mail, hasText),
    files: mail.attachments.flatMap(({ mimeType, filename, content }) =>
      /^(image|video|audio)\//i.test(mimeType) && content instanceof ArrayBuffer
        ? [{ name: filename ?? '', type: mimeType.toLowerCase(), bytes: new Uint8Array(content) }]
        : [],
    ),
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

/**
 * The one address of a sender; empty where there are several, as in `<a@b@c>`, of which programs take
 * different ones.
 */
function senderOf(fields: readonly string[]): string {
  const [field = '', ...others] = fields;
  const found = new Set(
    field
      .slice(0, maxSender)
      .toLowerCase()
      .match(/[^\s<>,;:"'()]*@[^\s<>,;:"'()]*/g),
  );
  const [address = ''] = found;
  const isOne = others.length === 0 && found.size === 1 && field.length <= maxSender;
  return isOne && /^[^@]+@[^@]+$/.test(address) ? address : '';
}
