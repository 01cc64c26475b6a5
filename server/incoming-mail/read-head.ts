import PostalMime, { type Email } from 'postal-mime';

/** Bytes. A mail with longer headers is ignored. */
const maxHeaderBytes = 64 * 1024;
/** The longest header that names the sender, in characters. */
const maxSender = 1_000;

/** The longest used header, in characters: a parser takes time with the square of some. */
const maxUsed = 4_000;
/** Read whole: mail servers write `dmarc=` last, and this header is only searched, in linear time. */
const verdict = /^authentication-results[ \t]*:/i;
/** The most used headers: a mail with more is ignored. */
const maxLines = 100;
const used =
  /^(?:from|to|cc|bcc|subject|message-id|in-reply-to|references|auto-submitted|authentication-results|content-type|precedence|x-autoreply|x-autorespond|list-id|return-path)[ \t]*:/i;

/** The used headers of a mail. */
export type MailHead = {
  /** Empty unless it is exactly one address. */
  from: string;
  /** The recipients in its headers. */
  to: string[];
  messageId: string;
  subject: string;
  isAnswer: boolean;
  /** Whether a program sent it: such a mail is never answered (RFC 3834). */
  isAutomatic: boolean;
  /** Whether the receiving server says that its sender is forged. */
  isForged: boolean;
};

/** The headers of a mail, without its body; empty if they are too long. */
export function headersOf(source: Uint8Array): Buffer {
  const start = Buffer.from(source.buffer, source.byteOffset, Math.min(source.length, maxHeaderBytes));
  const end = start.toString('latin1').search(/\n\r?\n/);
  if (end >= 0) return start.subarray(0, end + 1);
  return source.length > maxHeaderBytes ? Buffer.alloc(0) : start;
}

/** Reads what {@link headersOf} returns. */
export async function readHead(headers: Buffer): Promise<MailHead> {
  const mail = await PostalMime.parse(usedLines(headers));
  const values = (name: string) => mail.headers.filter(({ key }) => key === name).map(({ value }) => value);
  const subject = mail.subject ?? '';
  const from = senderOf(values('from'));
  return {
    from,
    to: [mail.to, mail.cc, mail.bcc].flatMap(addresses => addresses?.flatMap(addressesIn) ?? []),
    messageId: /^<[\x21-\x7e]{1,250}>$/.exec(mail.messageId ?? '')?.[0] ?? '',
    subject,
    isAnswer:
      values('in-reply-to').length > 0 ||
      values('references').length > 0 ||
      /^\s*(re|aw|antw|sv|vs|fwd?|wg|tr|rv|rif|odp)\s*:/i.test(subject),
    isAutomatic: isAutomatic(from, values),
    isForged: isForged(values('authentication-results')),
  };
}

/** The used headers, each cut but the verdicts. A cut sender would be another one, so it is left out. */
function usedLines(headers: Buffer): Buffer {
  const lines = headers
    .toString('latin1')
    .split(/\r?\n(?![^\S\r\n])/)
    .filter(line => used.test(line))
    .slice(0, maxLines + 1)
    .map(line => {
      if (line.length <= maxUsed || verdict.test(line)) return line;
      return /^from/i.test(line) ? 'From:' : line.slice(0, maxUsed);
    });
  return Buffer.from(lines.length > maxLines ? '' : `${lines.join('\r\n')}\r\n`, 'latin1');
}

/**
 * Whether our own mail server says that the sender is forged. The first field is its own; its filters may
 * each add one under the same name. The sender of a mail can only add others, or a verdict against
 * themselves.
 */
function isForged(results: readonly string[]): boolean {
  const serverOf = (field: string) => /^[^\s;]*/.exec(field.trim())?.[0].toLowerCase();
  const [first = '', ...others] = results;
  const own = [first, ...others.filter(field => serverOf(field) === serverOf(first))];
  return own.some(field => /\bdmarc\s*=\s*fail\b/i.test(field));
}

/** The addresses of a recipient, which can be a group of them. */
function addressesIn({ address, group }: NonNullable<Email['to']>[number]): string[] {
  return address === undefined ? (group?.map(member => member.address) ?? []) : [address];
}

/** The return address of a bounce. Postfix passes MAILER-DAEMON to programs. */
const noSender = /^\s*(<\s*>|<?mailer-daemon(@[^\s<>]*)?>?)\s*$/i;

function isAutomatic(from: string, values: (name: string) => string[]): boolean {
  const submitted = values('auto-submitted')[0]?.trim().toLowerCase() ?? 'no';
  const type = values('content-type')[0] ?? '';
  return (
    (submitted !== '' && !submitted.startsWith('no')) ||
    values('precedence').some(value => /^\s*(bulk|junk|list|auto_reply)\s*$/i.test(value)) ||
    values('x-autoreply').length > 0 ||
    values('x-autorespond').length > 0 ||
    values('list-id').length > 0 ||
    values('return-path').some(value => noSender.test(value)) ||
    /^\s*multipart\/report\b/i.test(type) ||
    /^(mailer-daemon|postmaster|no-?reply)@/i.test(from)
  );
}

/** A quoted name before an address, which all programs read alike. */
const quotedName = /^\s*"[^"\\<>]*"(?=\s*<[^"<>()\s]+>\s*$)/;

/**
 * The one address of a sender; empty if there are several, as in `<a@b@c>`, which programs read differently.
 * An `@` without a word on each side is not an address in a quoted name, as in "Ann @ Work". Elsewhere it can
 * be one with spaces (RFC 5322, 4.4).
 */
function senderOf(fields: readonly string[]): string {
  const [field = '', ...others] = fields;
  const found = new Set(
    field
      .slice(0, maxSender)
      .replace(quotedName, name => name.replaceAll(/\B@|@\B/g, ''))
      .toLowerCase()
      .match(/[^\s<>,;:"'()]*@[^\s<>,;:"'()]*/g),
  );
  const [address = ''] = found;
  const isOne = others.length === 0 && found.size === 1 && field.length <= maxSender;
  return isOne && /^[^@]+@[^@]+$/.test(address) ? address : '';
}
