import { isIP, isIPv4, isIPv6 } from 'node:net';
import { Readable } from 'node:stream';
import type { default as SMTPConnection, SMTPEnvelope } from 'nodemailer/lib/smtp-connection';

const options = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  dnsTimeout: 10_000,
  socketTimeout: 60_000,
} as const;
/** An idle connection is closed after this long, before most servers do so. Milliseconds. */
const idleMs = 5_000;

/** A connection reserved until it has sent a message, or is released. */
type SmtpSender = {
  /** Throws nodemailer's errors if the server answered, and {@link AnswerLost} if it did not. */
  send(envelope: SMTPEnvelope, bytes: Buffer): Promise<void>;
  /** Returns a connection that sends nothing after all. */
  release(): void;
};

export type SmtpConnections = {
  /** Connects and logs in, unless a connection is idle. Throws nodemailer's errors. */
  take(): Promise<SmtpSender>;
  close(): void;
};

/** The connection broke before an answer came. */
export class AnswerLost extends Error {
  override readonly name = 'AnswerLost';
  /** Whether the whole message was sent before, so that the server may have accepted it. */
  readonly isSentWhole: boolean;

  constructor(reason: string, isSentWhole: boolean) {
    super(isSentWhole ? `The mail server was sent the whole message, and did not answer: ${reason}` : reason);
    this.isSentWhole = isSentWhole;
  }
}

/** An address has non-ASCII letters before its `@`, which the server does not accept (RFC 6531). */
export class NotInternational extends Error {
  override readonly name = 'NotInternational';

  constructor(address: string) {
    super(`The mail server takes only addresses with the letters a to z before the @, and not ${address}.`);
  }
}

/** Connections to an SMTP server, kept for a moment after use. The greeting names `host`, the site's. */
export function smtpConnections(url: string, host: string): SmtpConnections {
  const idle = new Map<SMTPConnection, NodeJS.Timeout>();
  /** Connections to a server that accepts letters of all scripts. */
  const international = new WeakSet<SMTPConnection>();

  const takeIdle = (): SMTPConnection | undefined => {
    for (const [connection, timer] of idle) {
      clearTimeout(timer);
      idle.delete(connection);
      return connection;
    }
    return undefined;
  };
  const keep = (connection: SMTPConnection) => {
    const timer = setTimeout(() => {
      idle.delete(connection);
      connection.quit();
    }, idleMs);
    idle.set(connection, timer.unref());
  };
  const open = async () => {
    const { connection, greeting } = await connect(url, host);
    if (/^250[ -]SMTPUTF8\b/im.test(greeting)) international.add(connection);
    connection.once('end', () => {
      clearTimeout(idle.get(connection));
      idle.delete(connection);
    });
    return connection;
  };

  const send = async (connection: SMTPConnection, envelope: SMTPEnvelope, bytes: Buffer) => {
    const addresses = [envelope.from || '', ...[envelope.to].flat()].map(String);
    const foreign = addresses.find(address => /[^\x20-\x7e]/.test(address));
    // nodemailer would send it all the same.
    if (foreign !== undefined && !international.has(connection)) {
      keep(connection);
      throw new NotInternational(foreign);
    }
    // Read only after the server has asked for the message.
    const message = Readable.from([bytes]);
    try {
      await new Promise<void>((resolve, reject) => {
        connection.send(envelope, message, error => (error ? reject(error) : resolve()));
      });
      keep(connection);
    } catch (error) {
      if (await isUsable(connection, error)) keep(connection);
      else connection.close();
      const isAnswer = error instanceof Error && 'responseCode' in error && Boolean(error.responseCode);
      if (isAnswer) throw error;
      throw new AnswerLost(String(error instanceof Error ? error.message : error), message.readableEnded);
    }
  };

  return {
    take: async () => {
      const connection = takeIdle() ?? (await open());
      return {
        send: (envelope, bytes) => send(connection, envelope, bytes),
        release: () => keep(connection),
      };
    },
    close: () => {
      for (let left = takeIdle(); left !== undefined; left = takeIdle()) left.close();
    },
  };
}

/** Opens a connection and logs in, if the server asks for it. `greeting` is the server's answer to EHLO. */
async function connect(url: string, host: string): Promise<{ connection: SMTPConnection; greeting: string }> {
  // Loaded here: an idle site sends nothing.
  const { default: SMTPTransport } = await import('nodemailer/lib/smtp-transport');
  const { default: Connection } = await import('nodemailer/lib/smtp-connection');
  const { options: asked, auth } = new SMTPTransport({ url, ...options });
  const connection = new Connection({
    ...asked,
    name: asked.name ?? greetingName(host),
    requireTLS: asked.requireTLS ?? !isLoopback(url),
    // The certificate of a server on this machine carries its public name, or none. Nobody can intercept this
    // connection.
    ...(isLoopback(url) && { tls: { rejectUnauthorized: false, ...asked.tls } }),
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // Kept as long as the connection: an error without a listener would end the process.
  connection.on('error', reject);
  connection.once('end', () => reject(new Error('The mail server closed the connection.')));
  const settle = (error?: Error | null) => (error ? reject(error) : resolve());
  let greeting = '';
  connection.connect(error => {
    greeting = connection.lastServerResponse || '';
    if (error || !auth || !connection.allowsAuth) settle(error);
    else connection.login(auth, settle);
  });
  try {
    await promise;
    return { connection, greeting };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** The host name for EHLO: an address as a literal (RFC 5321, section 4.1.3). */
function greetingName(host: string): string {
  const address = host.replaceAll(/[[\]]/g, '');
  if (isIPv6(address)) return `[IPv6:${address}]`;
  return isIP(address) ? `[${address}]` : host;
}

/**
 * Whether a server is on this machine. To any other server nothing is sent in clear text, unless its address
 * says so (`?requireTLS=false`): an attacker on the way could strip the server's offer of TLS, and read
 * passwords and links.
 */
export function isLoopback(url: string): boolean {
  const host = new URL(url).hostname.replaceAll(/[[\]]/g, '');
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

/** Whether the server refused only this message, and would accept another over the same connection. */
async function isUsable(connection: SMTPConnection, error: unknown): Promise<boolean> {
  const { responseCode, command } = error as { responseCode?: number; command?: string };
  if (!responseCode || responseCode === 421 || !/^(RCPT TO|DATA|MAIL FROM)/.test(command ?? '')) return false;
  return await new Promise(resolve => {
    const ended = () => resolve(false);
    connection.once('end', ended);
    connection.reset(refused => {
      connection.off('end', ended);
      resolve(!refused);
    });
  });
}
