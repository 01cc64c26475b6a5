import type { Hono } from 'hono';
import { moment } from '../../contract/date.ts';
import type { DependsOn } from '../db/changes/cache.ts';
import type { Deps } from '../deps.ts';
import { caughtUpOrStale } from '../http/answer-cache.ts';
import type { RequestVariables } from '../http/request.ts';
import { escapeHtml } from '../markdown/escape-html.ts';
import { countSitemaps, listSitemap, type MappedPost } from '../reading/sitemap.ts';
import type { XmlDocuments } from './xml-documents.ts';

const sitemapPath = '/sitemap.xml';
/** One of several files. The router of the app does not support such a pattern. */
const partPath = /^\/sitemap-([1-9]\d{0,3})\.xml$/;
const type = 'application/xml';
/** This many posts are followed one by one: each is a key of the cache. */
const mostFollowed = 1_000;
/** Paths that crawlers should leave alone. */
const robots = ['/api/', '/admin', '/profile', '/account'].reduce(
  (text, path) => `${text}Disallow: ${path}\n`,
  'User-agent: *\n',
);
const schema = 'http://www.sitemaps.org/schemas/sitemap/0.9';

/**
 * `/sitemap.xml`: the public pages, for search engines. Beyond the 10,000 posts of one file, it lists several
 * files. `/robots.txt` names it. A site that asks not to be listed has none.
 */
export function sitemapSurface(app: Hono<RequestVariables>, deps: Deps, documents: XmlDocuments): void {
  const { publicUrl } = deps.config;
  const isIndexed = async () => {
    await caughtUpOrStale(deps.changes);
    return (await deps.settings()).noindex === 'false';
  };
  app.get('/robots.txt', async c => {
    c.header('cache-control', 'public, max-age=3600');
    return c.text(robots + ((await isIndexed()) ? `\nSitemap: ${publicUrl}${sitemapPath}\n` : ''));
  });
  const entries = async (file: number, dependsOn: DependsOn) => {
    const posts = await listSitemap(deps, file, dependsOn);
    // With many posts, an edit's date is updated with the next post that is published or restricted.
    if (posts.length <= mostFollowed) dependsOn(...posts.map(({ id }) => `post:${id}` as const));
    const pages = file === 1 ? ['/', '/archive'].map(path => entry(publicUrl + path)) : [];
    return [...pages, ...posts.map(post => postEntry(publicUrl, post))];
  };
  app.get(sitemapPath, async c => {
    if (!(await isIndexed())) return c.text('Not found\n', 404);
    return await documents.answer(c, type, c.req.path, async dependsOn => {
      dependsOn('timeline', 'tags', 'published');
      const files = await countSitemaps(deps);
      return files > 1 ? index(publicUrl, files) : urlset(await entries(1, dependsOn));
    });
  });
  app.get('*', async (c, next) => {
    const file = Number(partPath.exec(c.req.path)?.[1]);
    if (Number.isNaN(file)) return await next();
    if (!(await isIndexed())) return c.text('Not found\n', 404);
    return await documents.answer(c, type, c.req.path, async dependsOn => {
      dependsOn('published');
      return file <= (await countSitemaps(deps)) ? urlset(await entries(file, dependsOn)) : undefined;
    });
  });
}

const xml = '<?xml version="1.0" encoding="utf-8"?>\n';

function index(publicUrl: string, files: number): string {
  const places = Array.from({ length: files }, (_, file) => `${publicUrl}/sitemap-${file + 1}.xml`);
  const sitemaps = places.map(place => `<sitemap><loc>${escapeHtml(place)}</loc></sitemap>\n`);
  return `${xml}<sitemapindex xmlns="${schema}">\n${sitemaps.join('')}</sitemapindex>\n`;
}

const urlset = (entries: readonly string[]) =>
  `${xml}<urlset xmlns="${schema}">\n${entries.join('')}</urlset>\n`;

const entry = (address: string, rest = '') => `<url><loc>${escapeHtml(address)}</loc>${rest}</url>\n`;

function postEntry(publicUrl: string, { id, changedAt }: MappedPost): string {
  return entry(`${publicUrl}/post/${id}`, `<lastmod>${moment(changedAt)}</lastmod>`);
}
