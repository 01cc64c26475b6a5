import { create as contentDisposition } from 'content-disposition';
import type { Context } from 'hono';
import type { Holder } from '../access/viewer.ts';
import type { Deps } from '../deps.ts';
import { inlineTypes } from '../files/privacy/type.ts';
import { type AnsweredFile, representationOf, type Wanted } from '../files/representation.ts';
import type { ByteRange } from '../files/store/store.ts';
import { type Variant, variantKey } from '../files/variant.ts';
import { hasFfmpeg } from '../files/videos/ffmpeg.ts';
import type { RequestVariables } from '../http/request.ts';
import { isFresh } from '../http/responses.ts';
import { watchRight } from './right-watch.ts';
import { sendBytes, startReading } from './send-bytes.ts';

/**
 * A file, and who has the right to it. `isPublic`: visitors may read it, too, so shared caches may store it.
 */
export type OpenedFile = { found: { file: AnsweredFile; isPublic: boolean }; who: Holder };

/**
 * Sends the bytes of a file, or of its variant `wanted`, with ranges and conditions as in RFC 9110. A poster
 * that is not made yet is answered without content, which players accept silently. `open` is called again
 * while the bytes are being sent; when it throws because the right has ended, the answer is cut.
 */
export async function answerMedia(
  c: Context<RequestVariables>,
  { files, changes, downloads }: Pick<Deps, 'files' | 'changes' | 'downloads'>,
  open: () => Promise<OpenedFile>,
  wantedOf: (file: AnsweredFile) => Wanted = () => undefined,
): Promise<Response> {
  const { found, who } = await open();
  const { file, isPublic } = found;
  const wanted = wantedOf(file);
  const isPoster = wanted === 'poster';
  const { key, name, type, size, etag } = representationOf(
    isPoster ? await withPoster(files, file) : file,
    wanted,
  );
  const inSeconds = isPoster ? await waitFor(file) : {};
  if (isPoster && !key.endsWith('.poster'))
    return c.body(null, 204, { 'cache-control': 'private, no-store', ...inSeconds });
  c.header('vary', 'Cookie, Authorization', { append: true });
  // Not set on the context, because an error answer would have them, too.
  const headers: Record<string, string> = {
    // Caches must revalidate each time, because the rights to the post may have changed.
    'cache-control': isPublic ? 'public, no-cache' : 'private, no-cache',
    etag,
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    // Whatever the bytes are, they can run no script and access nothing of this site.
    'content-security-policy': policyFor(type),
    // No cache may keep this header: an answer of 304 does not remove it.
    ...(inSeconds['retry-after'] !== undefined && { ...inSeconds, 'cache-control': 'private, no-store' }),
    // A feed reader in the browser shows public pictures on its own pages (decision 46).
    ...(isPublic && { 'cross-origin-resource-policy': 'cross-origin' }),
  };
  // Conditions come before ranges: a browser that revalidates a stored part sends both, and expects 304.
  if (isFresh(c.req.header(), headers)) return c.body(null, 304, headers);
  headers['content-type'] = type;
  headers['content-disposition'] = contentDisposition(name.toWellFormed(), {
    type: inlineTypes.has(type) ? 'inline' : 'attachment',
  });
  const ifRange = c.req.header('if-range');
  const asked = ifRange === undefined || ifRange === etag ? c.req.header('range') : undefined;
  const range = rangeOf(asked, size);
  if (range === 'unsatisfiable') {
    return c.body(null, 416, { ...headers, 'content-range': `bytes */${size}` });
  }
  headers['content-length'] = String(range === undefined ? size : range.end - range.start + 1);
  if (range !== undefined) headers['content-range'] = `bytes ${range.start}-${range.end}/${size}`;
  const status = range === undefined ? 200 : 206;
  // Hono also calls this route for HEAD and drops the body: then nothing may stay open.
  if (c.req.method === 'HEAD' || size === 0) return c.body(null, status, headers);
  const length = Number(headers['content-length']);
  const bytes = await startReading(files.read(key, range), length, {
    begin: cut => downloads.begin(c.var.requestIdentity.network, cut),
    watch: cut => watchRight(changes, who, open, cut),
  });
  return await sendBytes(c, bytes, status, headers);
}

/** The poster of a video that is still being prepared is stored before its row says so. */
async function withPoster(files: Deps['files'], file: AnsweredFile): Promise<AnsweredFile> {
  if (file.variants !== null || !file.type.startsWith('video/')) return file;
  const size = await files.size(variantKey(file.id, 'poster'));
  const poster: Variant = { width: 'poster', type: 'image/jpeg', size: size ?? 0 };
  return size === undefined ? file : { ...file, variants: JSON.stringify([poster]) };
}

/** In how many seconds the variant may be ready; no header if there is nothing to wait for. */
async function waitFor({ variants }: AnsweredFile): Promise<Record<string, string>> {
  return variants === null && (await hasFfmpeg()) ? { 'retry-after': '15' } : {};
}

/**
 * The policy of a file. A browser shows a directly opened video in a page that it generates, which needs
 * these sources.
 */
function policyFor(type: string): string {
  const isPlayed = /^(?:video|audio)\//.test(type);
  return `sandbox; default-src 'none'${isPlayed ? "; media-src 'self'; style-src 'unsafe-inline'" : ''}`;
}

/**
 * The part that a `Range` header asks for; undefined for the whole file, also if the header asks for several
 * parts or is invalid. (The package range-parser treats `bytes=-99` of a shorter file and `bytes=4-2` as
 * unsatisfiable; RFC 9110, 14.1.2, requires the whole file.)
 */
function rangeOf(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.replaceAll(/\s/g, '') ?? '');
  const [, first = '', last = ''] = match ?? [];
  // An empty file has no parts, so it is sent whole.
  if ((first === '' && last === '') || size === 0) return undefined;
  if (first === '') {
    return Number(last) === 0 ? 'unsatisfiable' : { start: Math.max(0, size - Number(last)), end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? 'unsatisfiable' : { start, end };
}
