import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { SiteSettings } from '../../contract/site-settings.ts';
import { cutAtWord } from '../../contract/text.ts';
import type { Config } from '../config.ts';
import type { Mail } from './compose.ts';
import { signMail } from './dkim.ts';
import { AnswerLost, NotInternational, smtpConnections } from './smtp.ts';

const reasonCharacters = 500;

/** Why a mail was not accepted. */
export class MailRefused extends Error {
  override readonly name = 'MailRefused';
  /**
   * `recipient`: never to this recipient. `later`: this mail, later. `unanswered`: this mail, later, though
   * it may have been accepted. `pace`: the server accepts fewer mails at a time. `connection`: it accepts no
   * further connection for now. `server`: nothing can be sent at present.
   */
  readonly scope: 'recipient' | 'later' | 'unanswered' | 'pace' | 'connection' | 'server';

  /** Whether there is no such mailbox. */
  readonly isBadAddress: boolean;

  constructor(scope: MailRefused['scope'], reason: string, isBadAddress = false) {
    super(reasonOf(reason));
    this.scope = scope;
    this.isBadAddress = isBadAddress;
  }
}

export type MailTransport = {
  kind: 'smtp' | 'folder';
  /** Where mail goes, for the admin: a server without its password, or a folder. */
  where: string;
  from(): Promise<string>;
  /**
   * Sends the mail that `prepare` makes as soon as it can be sent; the server has it when this resolves.
   * Throws {@link MailRefused}, and the errors of `prepare`.
   */
  send(prepare: () => Promise<Mail>): Promise<void>;
  close(): void;
};

export const mailConnections = 4;

/** Any SMTP server where one is configured; a folder of .eml files otherwise (decision 28). */
export function mailTransport(
  config: Pick<Config, 'publicUrl' | 'mailFrom' | 'smtpUrl' | 'mailDkimKey' | 'dataDir'>,
  settings: () => Promise<Pick<SiteSettings, 'title'>>,
): MailTransport {
  const host = new URL(config.publicUrl).hostname;
  const from = async () =>
    config.mailFrom ?? `${JSON.stringify(headerText((await settings()).title))} <noreply@${host}>`;
  return config.smtpUrl === undefined
    ? folderTransport(join(config.dataDir, 'mail'), from, host)
    : smtpTransport(config.smtpUrl, from, host, config.mailDkimKey);
}

/**
 * Marks automatic mails, so that no program answers them (RFC 3834; the second one is for Exchange, which may
 * still report failed deliveries).
 */
const automaticHeaders = {
  'Auto-Submitted': 'auto-generated',
  'X-Auto-Response-Suppress': 'DR, RN, NRN, OOF, AutoReply',
};

/**
 * A part of a mail. Quoted-printable would break lines, and so links, for people and filters that search the
 * source. For SMTP it is `base64`, which no server changes on the way; for a file `8bit`, which people can
 * read.
 */
function partOf(type: 'plain' | 'html', content: string, encoding: 'base64' | '8bit') {
  const contentType = `text/${type}; charset=utf-8`;
  if (encoding === 'base64') return { contentType, content, contentTransferEncoding: encoding };
  const head = `Content-Type: ${contentType}\r\nContent-Transfer-Encoding: 8bit\r\n\r\n`;
  return { contentType, raw: head + content.replaceAll(/\r?\n/g, '\r\n') };
}

async function build(
  mail: Mail,
  from: MailTransport['from'],
  host: string,
  encoding: 'base64' | '8bit',
  key?: Config['mailDkimKey'],
) {
  const sender = await from();
  // Loaded here: an idle site sends nothing.
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const message = new MailComposer({
    from: sender,
    to: { name: headerText(mail.to.name), address: mail.to.address },
    ...(mail.replyTo !== undefined && { replyTo: mail.replyTo }),
    subject: headerText(mail.subject),
    alternatives: [partOf('plain', mail.text, encoding), partOf('html', mail.html, encoding)],
    attachments: (mail.pictures ?? []).map(picture => ({
      ...picture,
      contentDisposition: 'inline' as const,
    })),
    messageId: `<${mail.id}@${host}>`,
    headers: { ...automaticHeaders, ...mail.headers },
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  const envelope = message.getEnvelope();
  const bytes = await message.build();
  const { returnPath } = mail;
  return {
    envelope: returnPath === undefined ? envelope : { ...envelope, from: returnPath },
    bytes: key === undefined ? bytes : await signMail(bytes, key, sender),
  };
}

function smtpTransport(
  url: string,
  from: MailTransport['from'],
  host: string,
  key: Config['mailDkimKey'],
): MailTransport {
  const connections = smtpConnections(url, host);
  const { protocol, host: server } = new URL(url);
  return {
    kind: 'smtp',
    where: `${protocol}//${server}`,
    from,
    send: async prepare => {
      // First: connecting can take half a minute, and a mail says what people may read when it is sent.
      const sender = await connections.take().catch(refuse);
      const { envelope, bytes } = await prepare()
        .then(mail => build(mail, from, host, 'base64', key))
        .catch(error => {
          sender.release();
          throw error;
        });
      await sender.send(envelope, bytes).catch(refuse);
    },
    close: () => connections.close(),
  };
}

/**
 * Answers of servers to requests that come too fast: 454 and 450 of Amazon SES, 421 and 450 of Google, 451 of
 * Microsoft and others. With an enhanced code of 4.1 or 4.2 (RFC 3463) they are about the recipient.
 */
const busyCodes: ReadonlySet<number> = new Set([421, 450, 451, 454]);
/** There is no such mailbox (RFC 3463, 5.1). A refusal without such a code may be about the relay. */
const isNoMailbox = (response: string) => /^5\d\d[ -]5\.1\.\d/.test(response);
const isAboutRecipient = (response: string) => /^\d{3}[ -]4\.[12]\.\d/.test(response);

/** Throws the queue's error for one of nodemailer. */
function refuse(error: unknown): never {
  if (error instanceof NotInternational) throw new MailRefused('recipient', error.message);
  if (error instanceof AnswerLost)
    throw new MailRefused(error.isSentWhole ? 'unanswered' : 'later', error.message);
  const {
    responseCode,
    command = '',
    response = '',
    message,
  } = error as Error & { responseCode?: number; command?: string; response?: string };
  if (typeof responseCode !== 'number') throw new MailRefused('server', message);
  const isBusy = busyCodes.has(responseCode) && !isAboutRecipient(response);
  const isAboutMail = /^(RCPT TO|DATA|MAIL FROM)/.test(command);
  if (isBusy) throw new MailRefused(isAboutMail ? 'pace' : 'connection', message);
  // A permanently refused sender means a wrong setting, which an admin can fix, unless the mail itself is too
  // large (552).
  const isAboutSender = command.startsWith('MAIL FROM') && responseCode !== 552;
  if (!isAboutMail || isAboutSender) throw new MailRefused('server', message);
  const isBadAddress = command.startsWith('RCPT TO') && isNoMailbox(response);
  throw new MailRefused(responseCode >= 500 ? 'recipient' : 'later', message, isBadAddress);
}

/** A mail server's reason, shortened and without characters that no database stores. */
export function reasonOf(text: string): string {
  return cutAtWord(text.replaceAll(/[\p{Cc}\p{Cs}]+/gu, ' ').trim(), reasonCharacters);
}

/** Writes each mail to a file named by its id, so that the same mail is the same file. */
function folderTransport(folder: string, from: MailTransport['from'], host: string): MailTransport {
  return {
    kind: 'folder',
    where: folder,
    from,
    send: async prepare => {
      const mail = await prepare();
      const { bytes } = await build(mail, from, host, '8bit');
      try {
        await mkdir(folder, { recursive: true });
        const unfinished = join(folder, `.${mail.id}`);
        const file = await open(unfinished, 'w');
        await file.writeFile(bytes).finally(() => file.close());
        await rename(unfinished, join(folder, `${mail.id}.eml`));
      } catch (error) {
        if (error instanceof Error && 'syscall' in error) throw new MailRefused('server', error.message);
        throw error;
      }
    },
    close: () => {},
  };
}

/** More than any mail program shows of a subject or a name. */
const maxCharacters = 200;

/**
 * People's words for a header: on one line, in their own direction, and read literally. Mail programs decode
 * `=?utf-8?q?...?=` (RFC 2047), which may contain anything that is removed here.
 */
export function headerText(text: string): string {
  const line = text
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    // Overrides, embeddings and isolates change the direction of what follows.
    .replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '')
    .replaceAll('=?', '= ?');
  return cutAtWord(line.trim(), maxCharacters);
}
