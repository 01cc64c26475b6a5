import type { ReadContext } from '../access/context.ts';
import { readablePosts } from '../access/posts.ts';
import type { Viewer } from '../access/viewer.ts';

/** The longest address that is stored, in characters; those of usual sites are below 300. */
const maxCharacters = 1_000;
/** And in bytes: an index row of PostgreSQL holds at most 2,704. */
const maxBytes = 2_000;

/**
 * Normalises a post's former address elsewhere: its path without escapes and final slash, or WordPress's
 * `/?p=12`. Undefined for an address of no particular post, such as the front page.
 */
export function oldAddress(address: string): string | undefined {
  const url = URL.parse(address, 'http://this.invalid');
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  const decodedPath = decoded(url.pathname);
  // Before normalisation, which takes long for many combining marks.
  if (decodedPath.length > 2 * maxCharacters) return undefined;
  const path = decodedPath
    .normalize('NFC')
    .replace(/\/(?:index\.(?:html?|php))?$/i, '')
    .replaceAll(/\/{2,}/g, '/')
    .replace(/\/$/, '');
  const number = url.searchParams.get('p') ?? url.searchParams.get('page_id');
  const written = number !== null && /^\d{1,18}$/.test(number) ? `${path}/?p=${number}` : path;
  if (written === '' || written.length > maxCharacters || /\p{Cc}/u.test(written)) return undefined;
  if (Buffer.byteLength(written) > maxBytes) return undefined;
  return written;
}

/** The id of the post that was once at an address, for a viewer who may read it; otherwise undefined. */
export async function findPostAt(
  deps: ReadContext,
  viewer: Viewer,
  address: string,
): Promise<string | undefined> {
  const written = oldAddress(address);
  if (written === undefined) return undefined;
  const row = await readablePosts(deps.db, await deps.catalogue(), viewer)
    .innerJoin('old_addresses', 'old_addresses.post_id', 'posts.id')
    .select('posts.id')
    .where('old_addresses.address', '=', written)
    .executeTakeFirst();
  return row?.id;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path).toWellFormed();
  } catch {
    return path;
  }
}
