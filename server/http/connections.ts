import type { IncomingMessage } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { Context, MiddlewareHandler } from 'hono';
import { AppError } from '../../contract/errors.ts';
import type { Config } from '../config.ts';
import type { Deps } from '../deps.ts';
import { isForeign } from './origin.ts';
import { networkOf, peerAddress } from './peer.ts';
import type { RequestVariables } from './request.ts';

/** How long a request may take to send its headers, and all of itself (an upload), in milliseconds. */
const headersWithinMs = 20_000;
const requestWithinMs = 600_000;
/** How long the body of an operation may take. */
const bodyWithinMs = 30_000;
const headerBytes = 16 * 1024;

/** What `createServer` is given. */
export const serverOptions = {
  headersTimeout: headersWithinMs,
  requestTimeout: requestWithinMs,
  keepAliveTimeout: 10_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: headerBytes,
} as const;

/**
 * Caps the connections of the whole process, and of one address. This machine's own addresses and trusted proxies are
 * not capped by address: they speak for many.
 */
export function limitConnections(server: Server, config: Config): void {
  server.maxConnections = config.maxConnections;
  const counts = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = peerAddress(socket.remoteAddress ?? '', null, config.trustedProxies);
    if (isOwn(address) || config.trustedProxies.check(address)) return;
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
 * The connections over which nothing has been asked yet. Browsers open some ahead; Node does not count them as idle, so
 * a server that stops would wait for them in vain.
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

/** The network that a request comes from; null for a call inside this process. */
export function peerOf(c: Context, config: Config): string | null {
  const incoming: unknown = (c.env as { incoming?: unknown } | undefined)?.incoming;
  if (typeof incoming !== 'object' || incoming === null || !('socket' in incoming)) return null;
  const remote = (incoming.socket as Partial<Socket>).remoteAddress ?? '';
  return networkOf(peerAddress(remote, c.req.header('x-forwarded-for') ?? null, config.trustedProxies));
}

/** Configurations whose owner has been told of a proxy. */
const warned = new WeakSet<Config>();

/** Behind a proxy that nobody named, all readers look like one to the limits: whoever runs the site must hear of it. */
function warnOfProxy(c: Context<RequestVariables>, config: Config): void {
  if (c.req.header('x-forwarded-for') === undefined || config.hasTrustedProxies || warned.has(config)) return;
  warned.add(config);
  c.var.log.warn(
    'requests come through a proxy: name its address in TRUSTED_PROXIES, or limits count all readers as one',
  );
}

/**
 * Stops what changes something and does not come from this site's own pages or from a program, and what writes too
 * often. The one-click POST of a mail is exempt: its signed address is its right, whoever sends it.
 */
export function guardWrites({ config, limits }: Deps): MiddlewareHandler<RequestVariables> {
  return async (c, next) => {
    if (['GET', 'HEAD', 'OPTIONS'].includes(c.req.method)) return await next();
    const { path } = c.req;
    // A configured origin may write with a token; its cookies are not looked at (origin.ts, `credentialsOf`).
    const isConfigured = config.corsOrigins.includes(c.req.header('origin') ?? '');
    if (
      path !== '/unsubscribe' &&
      !isConfigured &&
      isForeign(c.req.raw.headers, c.req.url, config.publicUrl)
    ) {
      throw new AppError('permission-denied', 'This request comes from another site.');
    }
    const peer = peerOf(c, config);
    warnOfProxy(c, config);
    // Operations are counted by account, and storage.ts counts uploads in its own way.
    if (peer !== null && !/^\/(?:api|v0)\//.test(path)) await limits.takeUpload(peer);
    await next();
  };
}

/** The body of a request, when it has arrived. Throws deadline-exceeded for one that trickles. */
export function inTime<T>(body: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const late = () => reject(new AppError('deadline-exceeded', 'This request took too long to arrive.'));
    // Most bodies came with their headers: watching the clock would take longer than reading them.
    const wait = setImmediate(() => {
      timer = setTimeout(late, bodyWithinMs);
    });
    const settle = () => {
      clearImmediate(wait);
      clearTimeout(timer);
    };
    body.then(resolve, reject).finally(settle);
  });
}
