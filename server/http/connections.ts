import type { IncomingMessage } from 'node:http';
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

/**
 * The connections over which no request has come yet. Browsers open some in advance. Node does not count them as idle,
 * so a server that stops would wait for them in vain.
 */
export function silentConnections(server: Server): ReadonlySet<Socket> {
  const silent = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage) => silent.delete(socket));
  return silent;
}

function isOwn(address: string): boolean {
  return address === '' || address === '::1' || address.startsWith('127.');
}
