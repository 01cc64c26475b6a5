import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import fresh from 'fresh';
import type { MiddlewareHandler } from 'hono';
import { LRUCache } from 'lru-cache';
import { incomingOf, outgoingOf } from './request.ts';

/**
 * A response with headers as a plain object, which the adapter writes unchanged. Hono's own responses go
 * through a `Headers` object, which checks and sorts them; that takes longer than sending a short answer. The
 * response has only these `headers` and those of the middleware, none that `c.header` has set.
 */
export function rawResponse(
  body: Uint8Array<ArrayBuffer> | string | null,
  status: number,
  headers: Readonly<Record<string, string>>,
): Response {
  return new Response(body, { status, headers });
}

type NodeHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Whether a conditional request already has this answer, so that 304 is right (RFC 9110, 13.2.2). The library
 * says no to `Cache-Control: no-cache`, which fetch adds to every request with a condition; it is meant for
 * caches on the way.
 */
export function isFresh(request: NodeHeaders, answer: NodeHeaders): boolean {
  return fresh({ ...request, 'cache-control': undefined }, answer);
}

/**
 * A copy of bytes outside of Node's pool, for caches. A small Buffer is a slice of a block of 64 KiB that
 * many Buffers share, and a cached slice would keep the whole block in memory.
 */
export function ownBytes(bytes: Uint8Array): Buffer<ArrayBuffer> {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  own.set(bytes);
  return own;
}

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

export type Encoding = 'br' | 'gzip' | 'identity';

/** The least size in bytes that is compressed: below it, compression saves no packet. */
const worthCompressing = 1_400;

/** The encodings that a header accepts, cached by header: browsers send few different ones. */
const accepted = new LRUCache<string, ReadonlySet<string | undefined>>({
  max: 100,
  memoMethod: acceptEncoding =>
    new Set(
      acceptEncoding
        .split(',')
        .map(part => part.trim().toLowerCase())
        .filter(part => !/;\s*q=0(\.0*)?$/.test(part))
        .map(part => part.split(';')[0]?.trim()),
    ),
});

export function accepts(acceptEncoding: string | null, encoding: Encoding): boolean {
  return accepted.memo(acceptEncoding ?? '').has(encoding);
}

/**
 * Encodes bytes. Brotli at quality 5 takes about as long as gzip and makes a page a sixth smaller; higher
 * qualities take ten times as long for one percent less.
 */
export async function encode(bytes: Buffer, encoding: Encoding): Promise<Buffer> {
  if (encoding === 'br') {
    return await brotli(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 5,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    });
  }
  return encoding === 'gzip' ? await zip(bytes) : bytes;
}

/** The best encoding that a request accepts; none for a body too small to gain. */
export function encodingFor(acceptEncoding: string | null, size: number): Encoding {
  if (size < worthCompressing) return 'identity';
  if (accepts(acceptEncoding, 'br')) return 'br';
  return accepts(acceptEncoding, 'gzip') ? 'gzip' : 'identity';
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
