import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import fresh from 'fresh';
import { LRUCache } from 'lru-cache';

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
  memoMethod: accept =>
    new Set(
      accept
        .split(',')
        .map(part => part.trim().toLowerCase())
        .filter(part => !/;\s*q=0(\.0*)?$/.test(part))
        .map(part => part.split(';')[0]?.trim()),
    ),
});

/** Whether a request accepts an encoding. */
export function accepts(accept: string | null, encoding: Encoding): boolean {
  return accepted.memo(accept ?? '').has(encoding);
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
export function encodingFor(accept: string | null, size: number): Encoding {
  if (size < worthCompressing) return 'identity';
  if (accepts(accept, 'br')) return 'br';
  return accepts(accept, 'gzip') ? 'gzip' : 'identity';
}
