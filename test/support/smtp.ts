import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';

export type ReceivedMail = {
  to: string;
  /** The return address. */
  from: string;
  source: string;
  /** How the client greeted (EHLO). */
  greeting: string;
  /** Its two parts, decoded. */
  text: string;
  html: string;
};

/** How the server answers: takes it, or refuses it for good or for now. */
export type Answer = 'take' | 'refuse' | 'later';

const refusal = (responseCode: number, sentence: string) =>
  Object.assign(new Error(sentence), { responseCode });

/** A real SMTP server on loopback that keeps what it is given. */
export async function startSmtp(
  options: {
    answer?: (to: string) => Answer;
    /** What it answers a message instead of taking it, as `454 Throttling failure`. */
    refuseMessage?: () => { code: number; sentence: string } | undefined;
    onMail?: (mail: ReceivedMail) => void | Promise<void>;
    port?: number;
    /** Whether it takes only ASCII letters before the `@` of an address. */
    isAscii?: boolean;
    /** With what it offers TLS. */
    tls?: { key: string; cert: string };
    /** Connections that it lets in at a time; another one is answered 421. */
    maxClients?: number;
    /**
     * Whether it lets in a new connection, of so many that are open; one that it does not is answered 421.
     */
    letsIn?: (open: number) => boolean | Promise<boolean>;
  } = {},
): Promise<{
  url: string;
  port: number;
  mails: ReceivedMail[];
  /** Breaks every connection, without a word. */
  hangUp(): void;
  stop(): Promise<void>;
}> {
  const mails: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  const server = new SMTPServer({
    authOptional: true,
    ...(options.maxClients && { maxClients: options.maxClients }),
    // Connections that the client keeps for later are closed at once.
    closeTimeout: 50,
    disabledCommands: options.tls ? ['AUTH'] : ['STARTTLS', 'AUTH'],
    ...options.tls,
    hideSMTPUTF8: options.isAscii ?? false,
    onConnect: async (_session, callback) => {
      const isLetIn = (await options.letsIn?.(sockets.size)) ?? true;
      if (isLetIn) return callback();
      callback(refusal(421, 'Too many connections'));
    },
    onRcptTo: (address, _session, callback) => {
      const answer = options.answer?.(address.address) ?? 'take';
      if (answer === 'take') return callback();
      callback(
        answer === 'refuse' ? refusal(550, '5.1.1 No such mailbox') : refusal(450, '4.2.1 Try again later'),
      );
    },
    onData: (stream, session, callback) => {
      text(stream).then(async source => {
        const refused = options.refuseMessage?.();
        if (refused !== undefined) return callback(refusal(refused.code, refused.sentence));
        const { text: plain = '', html = '' } = await PostalMime.parse(source);
        const mail: ReceivedMail = {
          to: session.envelope.rcptTo[0]?.address ?? '',
          from: session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address,
          greeting: session.hostNameAppearsAs || '',
          source,
          text: plain,
          html,
        };
        mails.push(mail);
        await options.onMail?.(mail);
        callback();
      }, callback);
    },
  });
  // A client that is killed in the middle is a part of the test.
  server.on('error', () => {});
  const listening = server.listen(options.port ?? 0, '127.0.0.1');
  await once(listening, 'listening');
  listening.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const { port } = listening.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    mails,
    hangUp: () => {
      for (const socket of sockets) socket.destroy();
    },
    stop: () => new Promise(resolve => server.close(() => resolve())),
  };
}
