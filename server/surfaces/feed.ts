import type { Hono } from 'hono';
import { html } from 'hono/html';
import { moment } from '../../contract/date.ts';
import { AppError } from '../../contract/errors.ts';
import type { Output } from '../../contract/operations.ts';
import type { ListedPost, Post } from '../../contract/posts.ts';
import { cutAtWord, untitled } from '../../contract/text.ts';
import { isAnonymous } from '../access/credentials.ts';
import { currentVisitor } from '../access/viewer.ts';
import { digestOf } from '../base/secrets.ts';
import { Cache, type DependsOn } from '../db/changes/cache.ts';
import { cacheBytes } from '../db/changes/cache-bytes.ts';
import { type Deps, internalInvocation, type UnguardedInvocation } from '../deps.ts';
import { withoutPlaceholders } from '../files/pictures/picture-html.ts';
import { isFresh } from '../http/fresh.ts';
import { ownBytes } from '../http/own-bytes.ts';
import type { RequestVariables } from '../http/request.ts';
import { changeStartTags } from '../markdown/start-tags.ts';
import { invoke } from '../operations.ts';

export const feedPath = '/feed.xml';
/** Other paths at which people look for the feed. */
const otherPaths = ['/feed', '/rss.xml'];
const feedPosts = 20;
const titleCharacters = 80;

type FeedBytes = { body: Buffer<ArrayBuffer>; etag: string };

/**
 * `/feed.xml`: the newest posts that a visitor may read, as Atom. Programs that read feeds have no session.
 */
export function feedSurface(app: Hono<RequestVariables>, deps: Deps): void {
  const cache = new Cache<FeedBytes>(deps.changes, {
    maxBytes: cacheBytes('feed'),
    sizeOf: ({ body }) => body.length,
  });
  for (const path of otherPaths) app.get(path, c => c.redirect(feedPath, 301));
  app.get(feedPath, async c => {
    await deps.changes.caughtUp();
    const { body, etag } = await cache.get(feedPath, async dependsOn => {
      const written = await writeFeed(deps, dependsOn);
      const digest = digestOf(written).slice(0, 22);
      return { body: ownBytes(Buffer.from(written)), etag: `"${digest}"` };
    });
    // Caches must revalidate it each time, so that no cache still shows a post after its tags have changed.
    c.header('cache-control', isAnonymous(c.req.raw.headers) ? 'public, no-cache' : 'private, no-cache');
    c.header('vary', 'Cookie, Authorization');
    c.header('etag', etag);
    if (isFresh(c.req.header(), { etag })) return c.body(null, 304);
    return c.body(body, 200, { 'content-type': 'application/atom+xml; charset=utf-8' });
  });
}

async function writeFeed(deps: Deps, dependsOn: DependsOn): Promise<string> {
  const call = internalInvocation(deps, await currentVisitor(deps), { dependsOn });
  const posts: ListedPost[] = [];
  let after: string | null = null;
  do {
    const page: Output<'getPosts'> = await invoke('getPosts', { after }, call);
    posts.push(...page.posts);
    after = page.nextCursor;
  } while (after !== null && posts.length < feedPosts);

  const { publicUrl, siteTitle } = deps.config;
  const entries: ReturnType<typeof entryOf>[] = [];
  for (const { id } of posts.slice(0, feedPosts)) {
    const post = await postOrNone(id, call);
    if (post !== undefined) entries.push(entryOf(post, deps));
  }
  const updated = moment(Math.max(0, ...posts.map(changedAt)));
  const feed = html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${idOf(deps)}</id>
<title>${siteTitle}</title>
<updated>${updated}</updated>
<generator>Coterie</generator>
<author><name>${siteTitle}</name></author>
<link rel="alternate" href="${publicUrl}/"/>
<link rel="self" href="${publicUrl}${feedPath}"/>
${entries}</feed>
`;
  return String(feed).replaceAll(notXml, '');
}

/** A post; undefined if it was deleted or closed after it was listed. */
async function postOrNone(postId: string, call: UnguardedInvocation): Promise<Post | undefined> {
  try {
    return (await invoke('getPost', { postId }, call)).post;
  } catch (error) {
    if (error instanceof AppError && ['not-found', 'permission-denied'].includes(error.code))
      return undefined;
    throw error;
  }
}

/** Hono's `html` escapes everything: feed readers show a title as text, and a post's HTML is sanitised. */
function entryOf(post: Post, deps: Pick<Deps, 'config' | 'feedIds'>) {
  const { publicUrl } = deps.config;
  const address = `${publicUrl}/post/${post.id}`;
  return html`<entry>
<id>${idOf(deps, post)}</id>
<link href="${address}"/>
<title>${titleOf(post)}</title>
<published>${post.publishedAt ?? post.createdAt}</published>
<updated>${moment(changedAt(post))}</updated>
${post.authorUsername === null ? '' : html`<author><name>${post.authorUsername}</name></author>\n`}${post.description === null ? '' : html`<summary>${post.description}</summary>\n`}<content type="html">${contentOf(post, publicUrl, address)}</content>
${post.tags.map(tag => html`<category term="${tag}"/>\n`)}</entry>
`;
}

/** A feed reader has no style of ours by which a text has its own direction. */
const contentOf = ({ html }: Post, publicUrl: string, address: string) =>
  `<div dir="auto">${withAddresses(withoutPlaceholders(html), publicUrl, address)}</div>`;

/** Characters that XML does not allow, not even escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const notXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const changedAt = (post: ListedPost) => Date.parse(post.updatedAt ?? post.publishedAt ?? post.createdAt);

/** The title of an entry. A short post has none, but Atom requires one, so its first words are used. */
const titleOf = (post: Post) =>
  post.title ?? (cutAtWord(post.excerpt, titleCharacters) || post.publishedOn || untitled);

/** The id of a post, or of the feed: it stays the same when the site moves to another address. */
function idOf({ feedIds, config }: Pick<Deps, 'config' | 'feedIds'>, post?: Post): string {
  const path = post === undefined ? '' : `post/${post.id}`;
  if (feedIds === undefined) return `${config.publicUrl}/${path}`;
  const { tag, old } = feedIds;
  const isOld = old !== null && (post === undefined || Date.parse(post.createdAt) < old.before);
  return isOld ? `${old.address}/${path}` : `${tag}${path || 'feed'}`;
}

const addresses = / (href|src|poster|srcset)="([^"]*)"/g;

/**
 * Makes the addresses in rendered HTML absolute: a feed reader has no page that they could be relative to.
 */
function withAddresses(html: string, publicUrl: string, page: string): string {
  const absolute = (address: string) => {
    if (/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(address)) return address;
    if (address.startsWith('/')) return publicUrl + address;
    return /^(?:[#?]|$)/.test(address) ? page + address : `${publicUrl}/post/${address}`;
  };
  return changeStartTags(html, tag =>
    tag.replaceAll(addresses, (_, name: string, value: string) => {
      const changed = name === 'srcset' ? value.split(', ').map(absolute).join(', ') : absolute(value);
      return ` ${name}="${changed}"`;
    }),
  );
}
