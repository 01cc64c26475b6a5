import { isIPv4 } from 'node:net';
import { Readable } from 'node:stream';
import SMTPConnection, { type SMTPEnvelope } from 'nodemailer/lib/smtp-connection';
import SMTPTransport from 'nodemailer/lib/smtp-transport';

const options = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  dnsTimeout: 10_000,
  socketTimeout: 60_000,
} as const;
/** A connection that nobody uses is closed after so long, before most servers do. Milliseconds. */
const idleMs = 5_000;

export type SmtpConnections = {
  /**
   * Sends a message over a connection of its own. `handOver` is called when all of it but its end has left, and calls
   * `end` to send that, at once; when it throws, the server discards the message. Throws nodemailer's errors, and what
   * `handOver` throws.
   */
  send(envelope: SMTPEnvelope, bytes: Buffer, handOver: (end: () => void) => Promise<void>): Promise<void>;
  close(): void;
};

/**
 * Connections to an SMTP server, kept for a moment after use. Nodemailer's own pool cannot say when the last line of a
 * message leaves: by way of its streams it leaves a third of a millisecond later, in which a kill would lose the mail.
 */
export function smtpConnections(url: string): SmtpConnections {
  const { options: asked, auth } = new SMTPTransport({ url, ...options });
  const settings = { ...asked, requireTLS: asked.requireTLS ?? !isLoopback(url) };
  const idle = new Map<SMTPConnection, NodeJS.Timeout>();

  const take = (): SMTPConnection | undefined => {
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
    const connection = new SMTPConnection(settings);
    connection.once('end', () => {
      clearTimeout(idle.get(connection));
      idle.delete(connection);
    });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // Stays: an error that is told to nobody would end the process.
    connection.on('error', reject);
    connection.once('end', () => reject(new Error('The mail server closed the connection.')));
    const settle = (error?: Error | null) => (error ? reject(error) : resolve());
    connection.connect(error => {
      if (error || !auth || !connection.allowsAuth) settle(error);
      else connection.login(auth, settle);
    });
    try {
      await promise;
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  };

  const send: SmtpConnections['send'] = async (envelope, bytes, handOver) => {
    const kept = take();
    const connection = kept ?? (await open());
    const message = new HeldMessage(bytes, handOver);
    try {
      await sendOver(connection, envelope, message);
      keep(connection);
    } catch (error) {
      if (await isUsable(connection, error)) keep(connection);
      else connection.close();
      // The server may have closed a connection that lay idle; nothing of this message has left then.
      const isAnswer = error instanceof Error && 'responseCode' in error && Boolean(error.responseCode);
      if (kept !== undefined && !message.hasBegun && !isAnswer) return await send(envelope, bytes, handOver);
      throw error;
    }
  };

  return {
    send,
    close: () => {
      for (let left = take(); left !== undefined; left = take()) left.close();
    },
  };
}

/**
 * Whether a server is on this machine. To any other one nothing is sent in the clear, unless its address says so
 * (`?requireTLS=false`): whoever is on the way could strip the server's offer of TLS, and read passwords and links.
 */
function isLoopback(url: string): boolean {
  const host = new URL(url).hostname.replaceAll(/[[\]]/g, '');
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

/** A message that nodemailer pipes to the server; its end is sent when somebody says so, and not before. */
class HeldMessage extends Readable {
  readonly #bytes: Buffer;
  readonly #handOver: (end: () => void) => Promise<void>;
  readonly #stopped = Promise.withResolvers<never>();
  hasBegun = false;

  constructor(bytes: Buffer, handOver: (end: () => void) => Promise<void>) {
    super();
    this.#bytes = bytes;
    this.#handOver = handOver;
    this.#stopped.promise.catch(() => {});
  }

  /** Rejects with what `handOver` throws. */
  get stopped(): Promise<never> {
    return this.#stopped.promise;
  }

  override pipe<T extends NodeJS.WritableStream>(server: T): T {
    this.hasBegun = true;
    // The pipe behind it passes on at once: the kernel has the message when this is called back.
    server.write(this.#bytes, () => {
      this.#handOver(() => server.end()).catch(this.#stopped.reject);
    });
    return server;
  }

  override _read(): void {}
}

async function sendOver(
  connection: SMTPConnection,
  envelope: SMTPEnvelope,
  message: HeldMessage,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  connection.send(envelope, message, error => (error ? reject(error) : resolve()));
  await Promise.race([promise, message.stopped]);
}

/** Whether the server only refused this message, and would take another one over the same connection. */
async function isUsable(connection: SMTPConnection, error: unknown): Promise<boolean> {
  const { responseCode, command } = error as { responseCode?: number; command?: string };
  if (!responseCode || responseCode === 421 || !/^(RCPT TO|DATA|MAIL FROM)/.test(command ?? '')) return false;
  return await new Promise(resolve => {
    connection.once('end', () => resolve(false));
    connection.reset(refused => resolve(!refused));
  });
}
