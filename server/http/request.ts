import { IncomingMessage, ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, MiddlewareHandler } from 'hono';
import type { Logger } from 'pino';
import { createId } from '../base/id.ts';
import type { RequestIdentity } from './request-identity.ts';

/** The variables of every request. */
export type RequestVariables = {
  Variables: {
    log: Logger;
    requestIdentity: RequestIdentity;
  };
};

const processId = createId().slice(0, 6);
let requests = 0;
export function nextRequestId(): string {
  requests += 1;
  return `${processId}-${requests}`;
}

/**
 * Gives a request its logger. If requests are logged, it also gets an id, and one line is logged when it has
 * been answered.
 */
export function requestLog(log: Logger): MiddlewareHandler<RequestVariables> {
  const isLogging = log.isLevelEnabled('info');
  return async (c, next) => {
    if (!isLogging) {
      c.set('log', log);
      return await next();
    }
    c.set('log', log.child({ requestId: nextRequestId() }));
    const start = performance.now();
    await next();
    // Only the path: a query can contain a token.
    const { method, path } = c.req;
    c.var.log.info({ method, path, status: c.res.status, ms: since(start) }, 'request');
  };
}

/** Milliseconds with one decimal. */
export function since(start: number): number {
  return Math.round((performance.now() - start) * 10) / 10;
}

/** Node's own request; undefined if it did not come over a socket. */
export function incomingOf(c: Context): IncomingMessage | undefined {
  const incoming: unknown = c.env?.incoming;
  return incoming instanceof IncomingMessage ? incoming : undefined;
}

/** Node's own response; undefined if there is no socket to send it over. */
export function outgoingOf(c: Context): ServerResponse | undefined {
  const outgoing: unknown = c.env?.outgoing;
  return outgoing instanceof ServerResponse ? outgoing : undefined;
}

/**
 * Gives the answer to a HEAD request the length of the answer to GET (RFC 9110, 9.3.2). Hono makes the answer
 * to GET and then drops its body. A stream of events has no length.
 */
export const headLength: MiddlewareHandler = async (c, next) => {
  await next();
  const { res } = c;
  if (c.req.method !== 'HEAD' || res.headers.has('content-length') || [204, 304].includes(res.status)) return;
  if (res.headers.get('content-type')?.startsWith('text/event-stream')) return;
  const { byteLength } = await res.clone().arrayBuffer();
  res.headers.set('content-length', String(byteLength));
};

/** How much of an unread body is dropped after the answer, and for how many milliseconds. */
const most = { bytes: 64 * 1024 * 1024, ms: 10_000 };

/**
 * Sends the answer to a request whose body has not been read, and only then drops the rest of the body and
 * closes. A connection that is closed while bytes still arrive is reset, and nginx, which sends all of a body
 * before it reads, turns our answer into a 502. A client that does not wait gets it at once.
 */
export const answerUnreadBody: MiddlewareHandler = async (c, next) => {
  await next();
  const incoming = incomingOf(c);
  const outgoing = outgoingOf(c);
  if (incoming === undefined || incoming.complete || incoming.destroyed) return;
  if (outgoing === undefined || outgoing.headersSent) return;
  const { status, headers } = c.res;
  // A stream of events ends with its connection.
  if (headers.get('content-type')?.startsWith('text/event-stream')) return;
  const body = Buffer.from(await c.res.arrayBuffer());
  headers.set('content-length', String(body.length));
  outgoing.writeHead(status, [...headers].flat());
  outgoing.write(body);
  await dropRest(incoming);
  outgoing.end();
  // Cleared first: otherwise the new response would inherit the headers of this one.
  c.res = undefined;
  c.res = RESPONSE_ALREADY_SENT;
};

function dropRest(incoming: IncomingMessage): Promise<void> {
  return new Promise(resolve => {
    let left = most.bytes;
    const settle = () => {
      clearTimeout(timer);
      incoming.off('data', drop).off('end', settle).off('close', settle);
      resolve();
    };
    const drop = (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) settle();
    };
    const timer = setTimeout(settle, most.ms);
    incoming.on('data', drop).on('end', settle).on('close', settle).resume();
  });
}
