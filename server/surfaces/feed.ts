import { Feed } from 'feed';
import type { Hono } from 'hono';
import type { Output } from '../../contract/operations.ts';
import type { ListedPost } from '../../contract/posts.ts';
import { isAnonymous, type Sessions } from '../access/sessions.ts';
import type { Deps } from '../deps.ts';
import { invoke } from '../operations.ts';
import type { RequestVariables } from './request.ts';
import { VisitorCache } from './visitor-cache.ts';

export const feedPath = '/feed.xml';
const feedPosts = 20;
const titleCharacters = 80;

type FeedText = { text: string; size: number };

/** `/feed.xml`: the newest posts that a visitor may read, as Atom. Programs that read feeds have no session. */
export function feedSurface(app: Hono<RequestVariables>, deps: Deps, sessions: Sessions): void {
  const cache = new VisitorCache<FeedText>(deps.changes);
  app.get(feedPath, async c => {
    const { text } = await cache.get(feedPath, async () => {
      const written = await writeFeed(deps, sessions);
      return { text: written, size: written.length };
    });
    c.header('cache-control', isAnonymous(c.req.raw.headers) ? 'public, max-age=300' : 'private, no-cache');
    return c.body(text, 200, { 'content-type': 'application/atom+xml; charset=utf-8' });
  });
}

async function writeFeed(deps: Deps, sessions: Sessions): Promise<string> {
  const request = new Headers();
  const reply = new Headers();
  const viewer = await sessions.viewerOf(request, reply);
  const call: Parameters<typeof invoke>[2] = { ...deps, viewer, request, reply, peer: null };
  const posts: ListedPost[] = [];
  let after: string | null = null;
  do {
    const page: Output<'getPosts'> = await invoke('getPosts', { after }, call);
    posts.push(...page.posts);
    after = page.nextCursor;
  } while (after !== null && posts.length < feedPosts);

  const { publicUrl, siteTitle } = deps.config;
  const feed = new Feed({
    id: `${publicUrl}/`,
    link: `${publicUrl}/`,
    title: siteTitle,
    // Atom wants an author; what visitors see names none.
    author: { name: siteTitle },
    updated: new Date(Math.max(0, ...posts.map(changedAt))),
    feedLinks: { atom: publicUrl + feedPath },
    generator: 'Coterie',
  });
  for (const listed of posts.slice(0, feedPosts)) {
    const { post } = await invoke('getPost', { postId: listed.id }, call);
    const address = `${publicUrl}/post/${post.id}`;
    feed.addItem({
      id: address,
      link: address,
      title: post.title ?? titleOf(post.excerpt),
      ...(post.description === null ? {} : { description: post.description }),
      content: withAddresses(post.html, publicUrl),
      date: new Date(changedAt(post)),
      published: new Date(post.publishedAt ?? post.createdAt),
      category: post.tags.map(name => ({ name, term: name })),
    });
  }
  return feed.atom1();
}

const changedAt = (post: ListedPost) => Date.parse(post.updatedAt ?? post.publishedAt ?? post.createdAt);

/** A short post has no title, and Atom wants one: its first words. */
function titleOf(excerpt: string): string {
  return excerpt.length <= titleCharacters ? excerpt : `${excerpt.slice(0, titleCharacters).trimEnd()}…`;
}

/** Addresses of our own files, which stand in what we rendered as paths, with the site in front. */
function withAddresses(html: string, publicUrl: string): string {
  return html.replaceAll(/(?<= (?:href|src|poster)=")\/(?!\/)/g, `${publicUrl}/`);
}
