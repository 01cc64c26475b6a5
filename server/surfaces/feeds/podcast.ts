import { html } from 'hono/html';
import { sitePictureAt } from '../../../contract/site-pictures.ts';
import type { DependsOn } from '../../db/changes/cache.ts';
import type { Deps } from '../../deps.ts';
import type { Enclosure } from '../../feeds/enclosures.ts';
import { listSoundPosts } from '../../feeds/sound-posts.ts';
import { internalInvocation } from '../../operations.ts';
import {
  asXml,
  atomId,
  type Entry,
  entryTitle,
  type FeedReader,
  feedPosts,
  feedTitle,
  readEntries,
} from './entries.ts';

export const podcastPath = '/podcast.xml';

/**
 * The newest posts with a sound or a video, as RSS 2.0 with the fields of podcast programs, which do not read
 * Atom. Nothing, which `XmlDocuments` keeps, if no sound or video is open to everybody: all posts were looked
 * through for it. A personal feed may be empty, because programs unsubscribe from a missing feed.
 */
export async function writePodcast(
  deps: Deps,
  { who, feed }: FeedReader,
  dependsOn?: DependsOn,
): Promise<string> {
  // A sound that is added to an old post changes nothing in the timeline.
  dependsOn?.('anything');
  const call = internalInvocation(deps, who, { dependsOn });
  const posts = await listSoundPosts(deps, who.viewer, feedPosts);
  const entries = (await readEntries(deps, posts, feed, call)).filter(entry => entry.enclosures.length > 0);
  const isOpen = who.viewer.user === null;
  if (isOpen && entries.length === 0) return '';
  const { publicUrl } = deps.config;
  const { title: siteTitle, tagline, icon } = await deps.settings();
  const picture = publicUrl + (icon === '' ? '/icon-512.png' : sitePictureAt('icon', icon, 512));
  const title = feedTitle(siteTitle, who);
  // A personal feed must not be listed anywhere.
  const own = isOpen
    ? html`<atom:link rel="self" type="application/rss+xml" href="${publicUrl}${podcastPath}"/>\n`
    : html`<itunes:block>Yes</itunes:block>\n`;
  return asXml(html`<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">
<channel>
<title>${title}</title>
<link>${publicUrl}/</link>
<description>${tagline || title}</description>
<generator>Coterie</generator>
<image><url>${picture}</url><title>${title}</title><link>${publicUrl}/</link></image>
<itunes:image href="${picture}"/>
<itunes:author>${siteTitle}</itunes:author>
<itunes:explicit>false</itunes:explicit>
${own}${entries.flatMap(entry => entry.enclosures.map((one, index) => itemOf(deps, entry, one, entry.enclosures.length > 1 ? ` (${index + 1}/${entry.enclosures.length})` : '')))}</channel>
</rss>
`);
}

/** An episode is one sound: a post with several makes as many episodes. */
function itemOf(
  deps: Pick<Deps, 'config' | 'feedIds'>,
  { post, content }: Entry,
  { fileId, url, type, size, seconds }: Enclosure,
  number: string,
) {
  const { publicUrl } = deps.config;
  return html`<item>
<guid isPermaLink="false">${atomId(deps, post)}#${fileId}</guid>
<title>${entryTitle(post)}${number}</title>
<link>${publicUrl}/post/${post.id}</link>
<pubDate>${new Date(post.publishedAt ?? post.createdAt).toUTCString()}</pubDate>
<enclosure url="${url}" length="${size}" type="${type}"/>
${seconds === undefined ? '' : html`<itunes:duration>${seconds}</itunes:duration>\n`}${post.authorUsername === null ? '' : html`<itunes:author>${post.authorUsername}</itunes:author>\n`}<description>${post.description ?? post.excerpt}</description>
<content:encoded>${content}</content:encoded>
</item>
`;
}
