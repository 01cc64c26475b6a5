import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { Config } from '../config.ts';
import { networkOf, peerAddress } from './peer.ts';

/** How long a request may take to send its headers, and all of itself (an upload), in milliseconds. */
const headersWithinMs = 20_000;
const requestWithinMs = 600_000;
const headerBytes = 16 * 1024;

/** The options for `createServer`. */
export const serverOptions = {
  headersTimeout: headersWithinMs,
  requestTimeout: requestWithinMs,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: headerBytes,
} as const;

/**
 * Caps the connections of the whole process, and of one address. This machine's own addresses and trusted proxies are
 * not capped by address: many readers share them.
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

/** Open connections, each with its last answer; undefined where no request has come yet: browsers open some in advance. */
export type Connections = ReadonlyMap<Socket, ServerResponse | undefined>;

/** The open connections of a server, from now on. */
export function openConnections(server: Server): Connections {
  const open = new Map<Socket, ServerResponse | undefined>();
  server.on('connection', (socket: Socket) => {
    open.set(socket, undefined);
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage, answer: ServerResponse) => {
    // A request that came together with others is handled although its connection has been closed.
    if (open.has(socket)) open.set(socket, answer);
  });
  return open;
}

/**
 * Closes the connections over which no answer is under way. Node's own function destroys also those whose answer still
 * waits in this process for a slow reader, and keeps those over which no request has come yet.
 */
export function closeIdle(connections: Connections): void {
  for (const [socket, answer] of connections) {
    if (answer === undefined || answer.writableFinished) socket.destroySoon();
  }
}

function isOwn(address: string): boolean {
  return address === '' || address === '::1' || address.startsWith('127.');
}
