import { create as contentDisposition } from 'content-disposition';
import fresh from 'fresh';
import type { Context } from 'hono';
import type { Holder } from '../access/hold-rights.ts';
import type { FileRow } from '../db/tables.ts';
import type { Deps } from '../deps.ts';
import { type Variant, variantKey } from '../files/pictures.ts';
import type { ByteRange } from '../files/store.ts';
import { inlineTypes } from '../files/type.ts';
import type { RequestVariables } from '../http/request.ts';
import { watchRight } from './lasting-right.ts';
import { sendBytes, startReading } from './send-bytes.ts';

/** Where the bytes of an answer lie, and what they are. */
type Representation = { key: string; type: string; size: number; etag: string };

/** What an answer tells of a file. `id` is the key of its bytes. */
type AnsweredFile = Pick<FileRow, 'id' | 'name' | 'type' | 'size' | 'digest' | 'variants'>;

/** A file, and whose right opens it. `isPublic`: a visitor may have it, too, so shared caches may keep it. */
export type OpenedFile = { found: { file: AnsweredFile; isPublic: boolean }; who: Holder };

/**
 * The bytes of the file that `open` finds, or of its next larger size for `width`; ranges and conditions as RFC 9110 has
 * them. `opened` is what it has found just now; it is asked again while the bytes are under way, and throws when the right
 * has ended: then they end, too.
 */
export async function answerMedia(
  c: Context<RequestVariables>,
  { files, changes, downloads }: Pick<Deps, 'files' | 'changes' | 'downloads'>,
  opened: OpenedFile,
  open: () => Promise<OpenedFile>,
  width?: number,
): Promise<Response> {
  const { file, isPublic } = opened.found;
  const { key, type, size, etag } = representationOf(file, width);
  c.header('vary', 'Cookie, Authorization', { append: true });
  // Not set on the context, where an error would carry them, too.
  const headers: Record<string, string> = {
    // Asked again each time, because the rights to the post may have changed since.
    'cache-control': isPublic ? 'public, no-cache' : 'private, no-cache',
    etag,
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    // Whatever the bytes are, they run nothing and reach nothing of this site.
    'content-security-policy': policyFor(type),
  };
  // Before any range: a browser revalidates a part that it holds with both, and wants to hear that it is still good.
  if (fresh(c.req.header(), headers)) return c.body(null, 304, headers);
  headers['content-type'] = type;
  headers['content-disposition'] = contentDisposition(file.name.toWellFormed(), {
    type: inlineTypes.has(type) ? 'inline' : 'attachment',
  });
  const ifRange = c.req.header('if-range');
  const wanted = ifRange === undefined || ifRange === etag ? c.req.header('range') : undefined;
  const range = rangeOf(wanted, size);
  if (range === 'unsatisfiable') {
    return c.body(null, 416, { ...headers, 'content-range': `bytes */${size}` });
  }
  headers['content-length'] = String(range === undefined ? size : range.end - range.start + 1);
  if (range !== undefined) headers['content-range'] = `bytes ${range.start}-${range.end}/${size}`;
  const status = range === undefined ? 200 : 206;
  // Hono answers HEAD with this route, too, and drops the body: then nothing may stay open.
  if (c.req.method === 'HEAD' || size === 0) return c.body(null, status, headers);
  const length = Number(headers['content-length']);
  const bytes = await startReading(files.read(key, range), length, {
    begin: cut => downloads.begin(c.var.asker.peer, cut),
    watch: cut => watchRight(changes, opened.who, open, cut),
  });
  return await sendBytes(c, bytes, status, headers);
}

function representationOf(file: AnsweredFile, width: number | undefined): Representation {
  const variants = width === undefined ? [] : (JSON.parse(file.variants ?? '[]') as Variant[]);
  const variant = variants.find(made => made.width >= (width ?? 0));
  if (variant === undefined)
    return { key: file.id, type: file.type, size: file.size, etag: `"${file.digest}"` };
  return {
    key: variantKey(file.id, variant.width),
    type: variant.type,
    size: variant.size,
    etag: `"${file.digest}-${variant.width}"`,
  };
}

/** A browser shows a video that is opened by itself in a page of its own making, which needs this much. */
function policyFor(type: string): string {
  const isPlayed = /^(?:video|audio)\//.test(type);
  return `sandbox; default-src 'none'${isPlayed ? "; media-src 'self'; style-src 'unsafe-inline'" : ''}`;
}

/**
 * The part that a `Range` asks for. Undefined for the whole: also for many parts, and for what is no range of bytes. (The
 * package range-parser calls `bytes=-99` of a shorter file and `bytes=4-2` unsatisfiable; RFC 9110, 14.1.2, wants the whole.)
 */
function rangeOf(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.replaceAll(/\s/g, '') ?? '');
  const [, first = '', last = ''] = match ?? [];
  // An empty file has no part, and is wanted all the same.
  if ((first === '' && last === '') || size === 0) return undefined;
  if (first === '') {
    return Number(last) === 0 ? 'unsatisfiable' : { start: Math.max(0, size - Number(last)), end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? 'unsatisfiable' : { start, end };
}
