import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import { networkOf, peerAddress } from '../base/networks.ts';
import type { Config } from '../config.ts';

/** How long the headers of a request may take, and the whole of it (an upload), in milliseconds. */
const headersWithinMs = 20_000;
const requestWithinMs = 600_000;
const headerBytes = 16 * 1024;

export const serverOptions = {
  headersTimeout: headersWithinMs,
  requestTimeout: requestWithinMs,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: headerBytes,
} as const;

/**
 * Caps the connections of the whole process, and of one address. This machine's own addresses and trusted
 * proxies are not capped by address: many readers share them.
 */
export function limitConnections(server: Server, config: Config): void {
  server.maxConnections = config.maxConnections;
  const counts = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = peerAddress(socket.remoteAddress ?? '', null, config.trustedProxies);
    if (isOwn(address) || config.trustedProxies.include(address)) return;
    const network = networkOf(address);
    const count = (counts.get(network) ?? 0) + 1;
    if (count > config.maxConnectionsPerAddress) {
      socket.destroy();
      return;
    }
    counts.set(network, count);
    socket.once('close', () => {
      const left = (counts.get(network) ?? 1) - 1;
      if (left === 0) counts.delete(network);
      else counts.set(network, left);
    });
  });
}

/** The most requests that a connection may send ahead of their answers. Browsers and proxies send one. */
const mostUnanswered = 16;
/** How long a client may read nothing of an answer, in milliseconds. Node may see it after twice as long. */
const unreadMs = 60_000;

/**
 * Bounds what answers hold of the memory while nobody reads them: a connection with too many unanswered
 * requests is closed, and one whose client does not read.
 */
export class UnreadAnswers {
  readonly #answers = new WeakMap<Socket, ServerResponse[]>();

  /** The listener to give to the server. */
  bounded(listener: Listener): Listener {
    return async (incoming, outgoing) => {
      const { socket } = incoming;
      const unread = (this.#answers.get(socket) ?? []).filter(answer => !answer.writableFinished);
      this.#answers.set(socket, [...unread, outgoing]);
      if (unread.length >= mostUnanswered) socket.destroy();
      if (!socket.destroyed) await listener(incoming, outgoing);
    };
  }

  /** Closes the connections of a server on which nothing has moved for a time. */
  cut(server: HttpServer, ms = unreadMs): void {
    server.setTimeout(ms, socket => {
      const isBeingMade = this.#answers.get(socket)?.some(answer => !answer.writableEnded) === true;
      // Making an answer may take longer than that.
      if (!isBeingMade || socket.writableLength > 0) socket.destroy();
    });
  }
}

/** The open connections of a server, and those without a request so far: browsers open some in advance. */
export type Connections = { open: ReadonlySet<Socket>; silent: ReadonlySet<Socket> };

export function connectionsOf(server: Server): Connections {
  const open = new Set<Socket>();
  const silent = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    silent.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      silent.delete(socket);
    });
  });
  server.on('request', ({ socket }: IncomingMessage) => silent.delete(socket));
  return { open, silent };
}

/**
 * Stops a server from accepting connections, and closes idle ones every `everyMs` milliseconds. Returns a
 * function that ends this. Node would also destroy a connection whose answer still waits in this process for
 * a slow reader, and keep one without a request so far.
 */
export function closeWhenIdle(
  server: HttpServer,
  { open, silent }: Connections,
  everyMs: number,
): () => void {
  const closeAnswered = server.closeIdleConnections.bind(server);
  // `close` calls it at once.
  server.closeIdleConnections = () => {};
  server.close();
  const timer = setInterval(() => {
    if ([...open].some(socket => socket.writableLength > 0)) return;
    for (const socket of silent) socket.destroy();
    closeAnswered();
  }, everyMs);
  return () => clearInterval(timer);
}

function isOwn(address: string): boolean {
  return address === '' || address === '::1' || address.startsWith('127.');
}

/**
 * A listener of an HTTP server. Its promise is settled once the request is handled, even if the reader has
 * gone.
 */
export type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

/** Receives a request that was handled, and how long that took in milliseconds. */
export type ObserveRequest = (incoming: IncomingMessage, outgoing: ServerResponse, ms: number) => void;

/**
 * Counts the requests that a listener is handling. Node forgets a request with its connection, but a request
 * without a reader is still handled to its end, and uses the database until then.
 */
export class RunningRequests {
  #running = 0;
  #tellEnded: (() => void) | undefined;
  readonly #observe: ObserveRequest | undefined;

  constructor(observe?: ObserveRequest) {
    this.#observe = observe;
  }

  /** The listener to give to the server. */
  counted(listener: Listener): Listener {
    return async (incoming, outgoing) => {
      this.#running += 1;
      const began = this.#observe && performance.now();
      try {
        await listener(incoming, outgoing);
      } finally {
        this.#running -= 1;
        if (began !== undefined) this.#observe?.(incoming, outgoing, performance.now() - began);
        if (this.#running === 0) this.#tellEnded?.();
      }
    };
  }

  /** Waits until no request is being handled. */
  async ended(): Promise<void> {
    if (this.#running === 0) return;
    await new Promise<void>(resolve => {
      this.#tellEnded = resolve;
    });
  }
}
