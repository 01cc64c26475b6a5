import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';

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
