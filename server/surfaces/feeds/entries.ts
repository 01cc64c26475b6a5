import { html } from 'hono/html';
import type { ListedPost, Post } from '../../../contract/post.ts';
import { nameWithoutTitle } from '../../../contract/text.ts';
import { unlessRefused } from '../../access/posts.ts';
import type { Identity } from '../../access/viewer.ts';
import type { Deps, UnguardedInvocation } from '../../deps.ts';
import { type Enclosure, enclosuresOf, type OwnFeed } from '../../feeds/enclosures.ts';
import { fileIdsIn } from '../../files/address.ts';
import { withoutPlaceholders } from '../../files/pictures/picture-html.ts';
import { withAddresses } from '../../markdown/addresses.ts';
import { withPlainCards } from '../../markdown/link-cards.ts';
import { invoke } from '../../operations.ts';

/** The reader of a feed, and the owner of a personal one. */
export type FeedReader = { who: Identity; feed?: OwnFeed };

/** A post in a feed, with its sounds and videos, and its text as escaped HTML. */
export type Entry = {
  post: Post;
  enclosures: readonly Enclosure[];
  content: Awaited<ReturnType<typeof html>>;
};

export const feedPosts = 20;
/** The texts of a feed together, in bytes: programs ask for it each hour, and caches keep no larger one. */
const textBytes = 2 * 1024 * 1024;
const titleCharacters = 80;

/**
 * Those of these posts that the caller may read. The texts of the first are whole as long as they are not too
 * long together; others have their beginning.
 */
export async function readEntries(
  deps: Deps,
  postIds: readonly string[],
  feed: OwnFeed,
  call: UnguardedInvocation,
): Promise<Entry[]> {
  const entries: Entry[] = [];
  const files = await enclosuresOf(deps, postIds, feed);
  let left = textBytes;
  for (const id of postIds) {
    // The right to a post is checked here, and again with each file: it may have been lost since.
    const found = await unlessRefused(invoke('getPost', { postId: id }, call));
    if (found === undefined) continue;
    const { post } = found;
    const enclosures = shownEnclosures(post, files.get(id) ?? []);
    // A podcast repeats the text with each sound.
    const times = Math.max(1, enclosures.length);
    const content = await contentOf(post, deps.config.publicUrl, left / times);
    left -= times * Buffer.byteLength(String(content));
    entries.push({ post, enclosures, content });
  }
  return entries;
}

/**
 * Sounds and videos as the post shows them: those in its text, then its attachments. A post also carries
 * those that its author names only in invisible notes.
 */
function shownEnclosures(post: Post, enclosures: readonly Enclosure[]): readonly Enclosure[] {
  const byFile = new Map(enclosures.map(one => [one.fileId, one]));
  const shown = new Set(fileIdsIn(post.html + post.attachments.map(({ url }) => url).join(' ')));
  return [...shown].flatMap(id => byFile.get(id) ?? []);
}

/** The text, or its beginning if it has more than `most` bytes. */
async function contentOf(post: Post, publicUrl: string, most: number): Promise<Entry['content']> {
  const page = `${publicUrl}/post/${post.id}`;
  if (post.html.length <= most) {
    const plain = withPlainCards(withoutPlaceholders(post.html));
    // Feed readers lack our style that gives each text its own direction.
    const whole = await html`${`<div dir="auto">${withAddresses(plain, publicUrl, page)}</div>`}`;
    if (Buffer.byteLength(String(whole)) <= most) return whole;
  }
  const beginning = await html`<p dir="auto">${post.excerpt}</p><p><a href="${page}">Read it</a></p>`;
  return await html`${String(beginning)}`;
}

export const changedAt = (post: ListedPost) =>
  Date.parse(post.updatedAt ?? post.publishedAt ?? post.createdAt);

/** The title of an entry. A short post has none, but feeds require one, so its first words are used. */
export const entryTitle = (post: Post) =>
  post.title ?? nameWithoutTitle(post.excerpt, titleCharacters, post.publishedOn);

export const feedTitle = (siteTitle: string, { viewer }: Identity) =>
  viewer.user === null ? siteTitle : `${siteTitle} (${viewer.user.username})`;

/** The id of a post, or of the feed: it stays the same when the site moves to another address. */
export function atomId({ feedIds, config }: Pick<Deps, 'config' | 'feedIds'>, post?: Post): string {
  const path = post === undefined ? '' : `post/${post.id}`;
  if (feedIds === undefined) return `${config.publicUrl}/${path}`;
  const { tag, old } = feedIds;
  const isOld = old !== null && (post === undefined || Date.parse(post.createdAt) < old.before);
  return isOld ? `${old.address}/${path}` : `${tag}${path || 'feed'}`;
}

/** A document without characters that XML does not allow, not even escaped. */
export const asXml = (written: { toString(): string }) => String(written).replaceAll(notXml, '');
const notXml = /[^\t\n\r -\ufffd]/g;
