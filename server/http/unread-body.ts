import type { IncomingMessage } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { MiddlewareHandler } from 'hono';
import { incomingOf, outgoingOf } from './request.ts';

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
