import { html } from 'hono/html';
import { moment } from '../../../contract/date.ts';
import { AppError } from '../../../contract/errors.ts';
import type { Output } from '../../../contract/operations.ts';
import type { ListedPost } from '../../../contract/post.ts';
import type { Identity } from '../../access/viewer.ts';
import type { DependsOn } from '../../db/changes/cache.ts';
import type { Deps } from '../../deps.ts';
import { internalInvocation, invoke } from '../../operations.ts';
import {
  asXml,
  atomId,
  changedAt,
  type Entry,
  entryTitle,
  type FeedReader,
  feedPosts,
  feedTitle,
  readEntries,
} from './entries.ts';

export const feedPath = '/feed.xml';

/** The newest posts, or those with a tag, as Atom. Throws not-found for a tag without posts. */
export async function writeAtom(
  deps: Deps,
  { who, tag, feed: own }: FeedReader & { tag?: string | undefined },
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
  // A feed is sorted by date only.
  const placeOf = ({ publishedAt, id }: ListedPost) => `${publishedAt} ${id}`;
  posts.sort((a, b) => (placeOf(a) < placeOf(b) ? 1 : -1));

  // A tag without posts is answered like an unknown one, so that nobody learns its name (decision 3).
  if (tag !== undefined && posts.length === 0) throw new AppError('not-found', 'There is no such feed.');
  dependsOn?.('settings');
  const { publicUrl } = deps.config;
  const { title: siteTitle } = await deps.settings();
  const [place, query] = tag === undefined ? ['', ''] : [`tags/${encodeURIComponent(tag)}`, tagQuery(tag)];
  const newest = posts.slice(0, feedPosts).map(({ id }) => id);
  const entries = await readEntries(deps, newest, own, call);
  const updated = moment(Math.max(0, ...posts.map(changedAt)));
  return asXml(html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${idOfFeed(deps, who, place)}</id>
<title>${tag === undefined ? feedTitle(siteTitle, who) : tagFeedTitle(siteTitle, tag)}</title>
<updated>${updated}</updated>
<generator>Coterie</generator>
<author><name>${siteTitle}</name></author>
<link rel="alternate" href="${publicUrl}/${place}"/>
${who.viewer.user === null ? html`<link rel="self" href="${publicUrl}${feedPath}${query}"/>\n` : ''}${entries.map(entry => entryOf(entry, deps))}</feed>
`);
}

/** Hono's `html` escapes everything: feed readers show a title as text, and a post's HTML is sanitised. */
function entryOf({ post, enclosures, content }: Entry, deps: Pick<Deps, 'config' | 'feedIds'>) {
  const { publicUrl } = deps.config;
  return html`<entry>
<id>${atomId(deps, post)}</id>
<link href="${publicUrl}/post/${post.id}"/>
${enclosures.map(({ url, type, size, name }) => html`<link rel="enclosure" href="${url}" type="${type}" length="${size}" title="${name}"/>\n`)}<title>${entryTitle(post)}</title>
<published>${post.publishedAt ?? post.createdAt}</published>
<updated>${moment(changedAt(post))}</updated>
${post.authorUsername === null ? '' : html`<author><name>${post.authorUsername}</name></author>\n`}${post.description === null ? '' : html`<summary>${post.description}</summary>\n`}<content type="html">${content}</content>
${post.tags.map(tag => html`<category term="${tag}"/>\n`)}</entry>
`;
}

export const tagFeedTitle = (siteTitle: string, tag: string) => `${siteTitle}: ${tag}`;

/** The query of a tag's feed after {@link feedPath}. */
export const tagQuery = (tag: string) => `?tag=${encodeURIComponent(tag)}`;

/** A personal feed has an id of its own, without the secret. */
function idOfFeed(deps: Pick<Deps, 'config' | 'feedIds'>, { viewer }: Identity, place: string): string {
  const id = atomId(deps);
  if (viewer.user !== null) return `${id}#${viewer.user.id}`;
  return place === '' ? id : `${id}#${place}`;
}
