import fresh from 'fresh';
import type { MiddlewareHandler } from 'hono';

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

/**
 * A copy of bytes outside of Node's pool, for caches. A small Buffer is a slice of a block of 64 KiB that
 * many Buffers share, and a cached slice would keep the whole block in memory.
 */
export function ownBytes(bytes: Uint8Array): Buffer<ArrayBuffer> {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  own.set(bytes);
  return own;
}
