import type { Context, Hono } from 'hono';
import { html } from 'hono/html';
import { moment } from '../../contract/date.ts';
import { AppError } from '../../contract/errors.ts';
import type { Output } from '../../contract/operations.ts';
import type { ListedPost, Post } from '../../contract/posts.ts';
import { cutAtWord, untitled } from '../../contract/text.ts';
import type { Identity } from '../access/credentials.ts';
import { currentVisitor, viewerOfUser } from '../access/viewer.ts';
import { digestOf } from '../base/secrets.ts';
import type { DependsOn } from '../db/changes/cache.ts';
import { type Deps, internalInvocation, type UnguardedInvocation } from '../deps.ts';
import { type Enclosure, enclosuresOf, type OwnFeed } from '../feeds/enclosures.ts';
import { findPersonalFeed } from '../feeds/personal.ts';
import { withoutPlaceholders } from '../files/pictures/picture-html.ts';
import type { RequestVariables } from '../http/request.ts';
import { withAddresses } from '../markdown/addresses.ts';
import { invoke } from '../operations.ts';
import { documentOf, sendDocument, type XmlDocument, type XmlDocuments } from './xml-documents.ts';

export const feedPath = '/feed.xml';
const feedType = 'application/atom+xml';
/** Other paths at which people look for the feed. */
const otherPaths = ['/feed', '/rss.xml'];
const feedPosts = 20;
const titleCharacters = 80;

/**
 * `/feed.xml`: the newest posts that a visitor may read, as Atom, with `?tag=` those that carry a tag.
 * Programs that read feeds have no session: with `?key=` it is the feed of an account, of all that it may
 * read.
 */
export function feedSurface(app: Hono<RequestVariables>, deps: Deps, documents: XmlDocuments): void {
  for (const path of otherPaths) app.get(path, c => c.redirect(feedPath, 301));
  app.get(feedPath, async c => {
    const secret = c.req.query('key');
    if (secret !== undefined)
      return sendDocument(c, await personalFeed(c, deps, secret), feedType, 'private, no-store');
    const tag = c.req.query('tag') || undefined;
    // One that has no feed is looked for each time.
    if (tag !== undefined) await deps.limits.countVisit(c.var.requestIdentity.peer);
    return await documents.answer(c, feedType, `${feedPath}?${tag ?? ''}`, async dependsOn =>
      writeFeed(deps, { who: await currentVisitor(deps), tag }, dependsOn),
    );
  });
}

/**
 * The feed of the account that has this secret, by its rights at this moment; it is made anew each time.
 * Throws not-found for a secret that is none, or none any more.
 */
async function personalFeed(c: Context<RequestVariables>, deps: Deps, secret: string): Promise<XmlDocument> {
  const { peer } = c.var.requestIdentity;
  const userId = await deps.limits.lookUp(peer, () => findPersonalFeed(deps, secret));
  // The secret must not reach a page that a reader opens from here.
  c.header('referrer-policy', 'no-referrer');
  c.header('x-robots-tag', 'noindex');
  const gone = new AppError('not-found', 'There is no such feed. Its owner may have made another one.');
  if (userId === undefined) throw gone;
  await deps.changes.caughtUp();
  const viewer = await viewerOfUser(deps.db, userId, (await deps.catalogue()).defaultTagIds);
  if (viewer.role === 'visitor') throw gone;
  await deps.limits.count(viewer, peer);
  const feed = { userId, digest: digestOf(secret) };
  return documentOf(await writeFeed(deps, { who: { viewer, credential: null }, feed }));
}

type Wanted = { who: Identity; tag?: string | undefined; feed?: OwnFeed };

async function writeFeed(
  deps: Deps,
  { who, tag, feed: own }: Wanted,
  dependsOn?: DependsOn,
): Promise<string> {
  const call = internalInvocation(deps, who, { dependsOn });
  const posts: ListedPost[] = [];
  let after: string | null = null;
  do {
    const filter = tag === undefined ? {} : { filtTags: [tag] };
    const page: Output<'getPosts'> = await invoke('getPosts', { after, ...filter }, call);
    posts.push(...page.posts.filter(post => post.shownIn === 'timeline'));
    after = page.nextCursor;
  } while (after !== null && posts.filter(post => !post.isPinned).length < feedPosts);
  // A feed is by date alone.
  const placeOf = ({ publishedAt, id }: ListedPost) => `${publishedAt} ${id}`;
  posts.sort((a, b) => (placeOf(a) < placeOf(b) ? 1 : -1));

  // A tag without posts is like one that there is not, so that nobody learns its name (decisions.md 3).
  if (tag !== undefined && posts.length === 0) throw new AppError('not-found', 'There is no such feed.');
  dependsOn?.('settings');
  const { publicUrl } = deps.config;
  const { title: siteTitle } = await deps.settings();
  const [place, query] = tag === undefined ? ['', ''] : [`tags/${encodeURIComponent(tag)}`, tagQuery(tag)];
  const title = who.viewer.user === null ? siteTitle : `${siteTitle} (${who.viewer.user.username})`;
  const entries: ReturnType<typeof entryOf>[] = [];
  const newest = posts.slice(0, feedPosts).map(({ id }) => id);
  const enclosures = await enclosuresOf(deps, newest, own);
  for (const id of newest) {
    // The right to a post is asked here, and with each file again.
    const post = await postOrNone(id, call);
    if (post !== undefined) entries.push(entryOf(post, deps, enclosures.get(id) ?? []));
  }
  const updated = moment(Math.max(0, ...posts.map(changedAt)));
  const feed = html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${idOfFeed(deps, who, place)}</id>
<title>${tag === undefined ? title : `${siteTitle}: ${tag}`}</title>
<updated>${updated}</updated>
<generator>Coterie</generator>
<author><name>${siteTitle}</name></author>
<link rel="alternate" href="${publicUrl}/${place}"/>
${who.viewer.user === null ? html`<link rel="self" href="${publicUrl}${feedPath}${query}"/>\n` : ''}${entries}</feed>
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
function entryOf(post: Post, deps: Pick<Deps, 'config' | 'feedIds'>, enclosures: readonly Enclosure[]) {
  const { publicUrl } = deps.config;
  const address = `${publicUrl}/post/${post.id}`;
  return html`<entry>
<id>${idOf(deps, post)}</id>
<link href="${address}"/>
${enclosures.map(({ url, type, size, name }) => html`<link rel="enclosure" href="${url}" type="${type}" length="${size}" title="${name}"/>\n`)}<title>${titleOf(post)}</title>
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

const tagQuery = (tag: string) => `?tag=${encodeURIComponent(tag)}`;

/** The feed of an account has an id of its own, which holds no secret. */
function idOfFeed(deps: Pick<Deps, 'config' | 'feedIds'>, { viewer }: Identity, place: string): string {
  const id = idOf(deps);
  if (viewer.user !== null) return `${id}#${viewer.user.id}`;
  return place === '' ? id : `${id}#${place}`;
}
