import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import nodemailer from 'nodemailer';
import MailComposer from 'nodemailer/lib/mail-composer';
import type { Config } from '../config.ts';
import type { Mail } from './compose.ts';

/** Why a mail was not taken. */
export class MailRefused extends Error {
  override readonly name = 'MailRefused';
  /** `recipient`: never for this one. `later`: this mail, later. `server`: nothing can be sent at present. */
  readonly scope: 'recipient' | 'later' | 'server';
  /** Whether the server said so itself; otherwise it may have taken the mail. */
  readonly isAnswer: boolean;

  constructor(scope: MailRefused['scope'], isAnswer: boolean, message: string) {
    super(message);
    this.scope = scope;
    this.isAnswer = isAnswer;
  }
}

export type MailTransport = {
  kind: 'smtp' | 'folder';
  /** Where mail goes, for the admin: a server without its password, or a folder. */
  where: string;
  from: string;
  /**
   * Sends a mail. `beforeEnd` is awaited when everything but the end of the message has left; when it throws, the
   * server discards what it has got. Throws {@link MailRefused}, or what `beforeEnd` throws.
   */
  send(mail: Mail, beforeEnd?: () => Promise<void>): Promise<void>;
  close(): void;
};

const timeouts = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  dnsTimeout: 10_000,
  socketTimeout: 60_000,
} as const;
/** Connections to the SMTP server at a time. */
export const mailConnections = 4;

/** Any SMTP server where one is configured; a folder of .eml files otherwise (decisions.md 28). */
export function mailTransport(config: Config): MailTransport {
  const host = new URL(config.publicUrl).hostname;
  const from = config.mailFrom ?? `${JSON.stringify(config.siteTitle)} <noreply@${host}>`;
  return config.smtpUrl === undefined
    ? folderTransport(join(config.dataDir, 'mail'), from, host)
    : smtpTransport(config.smtpUrl, from, host);
}

async function build(mail: Mail, from: string, host: string) {
  const message = new MailComposer({
    from,
    to: mail.to,
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    messageId: `<${mail.id}@${host}>`,
    headers: { 'Auto-Submitted': 'auto-generated', ...mail.headers },
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  return { envelope: message.getEnvelope(), bytes: await message.build() };
}

function smtpTransport(url: string, from: string, host: string): MailTransport {
  const transporter = nodemailer.createTransport({
    url,
    pool: true,
    maxConnections: mailConnections,
    // A message is tried again by our own queue alone.
    maxRequeues: 0,
    ...timeouts,
  });
  const { protocol, host: server } = new URL(url);
  return {
    kind: 'smtp',
    where: `${protocol}//${server}`,
    from,
    send: async (mail, beforeEnd = async () => {}) => {
      const { envelope, bytes } = await build(mail, from, host);
      let stopped: { error: unknown } | undefined;
      async function* body() {
        yield bytes;
        try {
          await beforeEnd();
        } catch (error) {
          stopped = { error };
          throw error;
        }
      }
      try {
        await transporter.sendMail({ envelope, raw: Readable.from(body(), { objectMode: false }) });
      } catch (error) {
        if (stopped !== undefined) throw stopped.error;
        throw refusal(error);
      }
    },
    close: () => transporter.close(),
  };
}

/** What nodemailer's error means for the queue. */
function refusal(error: unknown): MailRefused {
  const { responseCode, command, message } = error as Error & { responseCode?: number; command?: string };
  const isAnswer = typeof responseCode === 'number';
  const isAboutMail = command !== undefined && /^(RCPT TO|DATA|MAIL FROM)/.test(command);
  if (!isAnswer || !isAboutMail) return new MailRefused('server', isAnswer, message);
  return new MailRefused(responseCode >= 500 ? 'recipient' : 'later', true, message);
}

/** Each mail as a file named by its id, so that the same mail is the same file. */
function folderTransport(folder: string, from: string, host: string): MailTransport {
  return {
    kind: 'folder',
    where: folder,
    from,
    send: async (mail, beforeEnd = async () => {}) => {
      const { bytes } = await build(mail, from, host);
      try {
        await mkdir(folder, { recursive: true });
        const unfinished = join(folder, `.${mail.id}`);
        const file = await open(unfinished, 'w');
        await file.writeFile(bytes).finally(() => file.close());
        await beforeEnd();
        await rename(unfinished, join(folder, `${mail.id}.eml`));
      } catch (error) {
        if (error instanceof Error && 'syscall' in error)
          throw new MailRefused('server', true, error.message);
        throw error;
      }
    },
    close: () => {},
  };
}
