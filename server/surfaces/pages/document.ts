import { html, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { firstAccent, paletteOf } from '../../../contract/look.ts';
import { documentTitle, type PageHead, type RenderedPage } from '../../../contract/pages.ts';
import { scriptSafe } from '../../../contract/script-safe.ts';
import { sitePictureAt } from '../../../contract/site-pictures.ts';
import type { SiteSettings } from '../../../contract/site-settings.ts';
import { initialOf } from '../../../contract/text.ts';
import { fileAddressForm } from '../../files/address.ts';
import type { ErrorAnswer } from '../../http/errors.ts';
import { rawResponse } from '../../http/responses.ts';
import { reportedPolicy } from '../../http/security-headers.ts';
import { escapeHtml } from '../../markdown/escape-html.ts';
import { attributesOf, startTags } from '../../markdown/start-tags.ts';
import { feedPath, tagFeedTitle, tagQuery } from '../feeds/atom.ts';
import { type Assets, lookOf } from './web.ts';

type Page = Exclude<RenderedPage, { location: string }>;

/** The document around a rendered page. `isPublic`: everybody may see it, so it may be embedded elsewhere. */
export function renderDocument(
  page: Page,
  assets: Omit<Assets, 'policy'>,
  { publicUrl, settings, isPublic }: { publicUrl: string; settings: SiteSettings; isPublic: boolean },
): string {
  const { head, siteTitle, body, state } = page;
  const [light, dark] = lookOf(settings).paper;
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width, initial-scale=1">' +
    `<title>${escapeHtml(documentTitle(head.title, siteTitle))}</title>` +
    '<meta name="color-scheme" content="light dark">' +
    // For the browser's own toolbars.
    `<meta name="theme-color" content="${light}" media="(prefers-color-scheme: light)" data-theme="light">` +
    `<meta name="theme-color" content="${dark}" media="(prefers-color-scheme: dark)" data-theme="dark">` +
    assets.head +
    iconLinks(settings) +
    '<link rel="manifest" href="/manifest.webmanifest" crossorigin="use-credentials">' +
    headTags(head, siteTitle, publicUrl, isPublic ? body : undefined) +
    `</head><body><div id="root">${withEagerPicture(body)}</div>` +
    (body.includes('<img data-tiny="') ? assets.placeholders : '') +
    `<script type="application/json" id="state">${state}</script>${assets.end}</body></html>`
  );
}

export function iconLinks(site: SiteSettings): string {
  const { icon } = site;
  const at = (width: number) => sitePictureAt('icon', icon, width);
  return icon === ''
    ? '<link rel="icon" href="/favicon.ico" sizes="32x32">' +
        `<link rel="icon" href="${initialPath(site)}" type="image/svg+xml">` +
        '<link rel="apple-touch-icon" href="/apple-touch-icon.png">'
    : `<link rel="icon" href="${at(32)}" sizes="32x32"><link rel="icon" href="${at(192)}" sizes="192x192">` +
        `<link rel="apple-touch-icon" href="${at(180)}">`;
}

type Named = Pick<SiteSettings, 'title' | 'accent' | 'typeface'>;

/** The address of {@link initialPicture}, which changes with name and colour. */
function initialPath({ title, accent, typeface }: Named): string {
  return `/favicon.svg?${new URLSearchParams({ of: `${initialOf(title)} ${accent} ${typeface}` })}`;
}

/** The icon of a site without one, as on its pages: its initial in a circle of its colour (SVG). */
export function initialPicture({ title, accent, typeface }: Named): string {
  const { accent: circle, 'accent-ink': letter } = paletteOf(accent) ?? firstAccent;
  const font = typeface === 'atkinson' ? 'system-ui,sans-serif' : 'Georgia,serif';
  const colours = (side: 0 | 1) => `circle{fill:${circle[side]}}text{fill:${letter[side]}}`;
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">' +
    `<style>${colours(0)}@media(prefers-color-scheme:dark){${colours(1)}}</style>` +
    `<circle cx="16" cy="16" r="16" fill="${circle[0]}"/><text fill="${letter[0]}" x="16" y="17" text-anchor="middle" dominant-baseline="central" ` +
    `font-family="${font}" font-size="21" font-weight="600">${escapeHtml(initialOf(title))}</text></svg>`
  );
}

/** A picture after more characters than this is not on the first screen. */
const firstScreenCharacters = 1_200;

/**
 * The body of a page in which the first picture, if it is near the top, loads eagerly, because its reader
 * waits for it.
 */
function withEagerPicture(body: string): string {
  const main = body.indexOf('<main');
  if (!body.includes('<img ', main)) return body;
  for (const { 0: tag, index } of body.matchAll(startTags)) {
    // Above it are the icon and the cover of the site.
    if (index < main || !tag.startsWith('<img ')) continue;
    const before = body.slice(main, index).replaceAll(startTags, '');
    if (before.length > firstScreenCharacters) return body;
    const eager = tag.replace(' loading="lazy"', ' fetchpriority="high"');
    return body.slice(0, index) + eager + body.slice(index + tag.length);
  }
  return body;
}

/**
 * The tags for search engines and link previews, only for a page with a canonical address. `body` is that of
 * a public page.
 */
function headTags(head: PageHead, siteTitle: string, publicUrl: string, body: string | undefined): string {
  if (head.canonical === undefined) return '<meta name="robots" content="noindex">';
  const url = publicUrl + head.canonical;
  const isArticle = head.kind === 'article' && head.publishedAt !== undefined;
  const preview = isArticle && body !== undefined ? linkPreviewOf(body, head.picture) : undefined;
  const image = preview && publicUrl + preview.path;
  const tags: [attribute: 'name' | 'property', key: string, content: string | undefined][] = [
    ['name', 'description', head.description],
    ['name', 'author', head.author],
    ['property', 'og:title', head.title || siteTitle],
    ['property', 'og:description', head.description],
    ['property', 'og:type', head.kind],
    ['property', 'og:url', url],
    ['property', 'og:site_name', siteTitle],
    ['property', 'article:published_time', head.publishedAt],
    ['property', 'og:image', image],
    ['property', 'og:image:width', preview?.width.toString()],
    ['property', 'og:image:height', preview?.height.toString()],
    ['name', 'twitter:card', preview && 'summary_large_image'],
  ];
  const metas = tags
    .filter(([, , content]) => content)
    .map(
      ([attribute, key, content]) => `<meta ${attribute}="${key}" content="${escapeHtml(content ?? '')}">`,
    );
  const feedOf = (title: string, query = '') =>
    `<link rel="alternate" type="application/atom+xml" title="${escapeHtml(title)}" href="${feedPath}${query}">`;
  // Only for visitors: a member may read more posts with the tag than its feed has.
  const tagFeed =
    body === undefined || head.feedTag === undefined
      ? ''
      : feedOf(tagFeedTitle(siteTitle, head.feedTag), tagQuery(head.feedTag));
  // From an attribute, in which only quotes and ampersands are escaped.
  const text = preview?.alt?.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const alt = text ? `<meta property="og:image:alt" content="${text}">` : '';
  const data =
    body === undefined || head.kind === undefined
      ? ''
      : structuredData(head, { url, siteUrl: `${publicUrl}/`, siteTitle, image });
  return `<link rel="canonical" href="${escapeHtml(url)}">${tagFeed}${feedOf(siteTitle)}${metas.join('')}${alt}${data}`;
}

/** A page that looks like the app's, and works even if the app itself cannot be rendered. */
export async function bareDocument(
  siteTitle: string,
  title: string,
  main: HtmlEscapedString,
  head = '',
): Promise<HtmlEscapedString> {
  return await html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title><meta name="color-scheme" content="light dark">
${raw(head)}
</head><body><div class="site">
<header class="bar"><a class="brand" href="/">${siteTitle}</a></header>
${main}
</div></body></html>
`;
}

export async function pageFailure(
  { http, headers, body }: ErrorAnswer,
  { siteTitle, isSecure }: { siteTitle: string; isSecure: boolean },
  assets: Pick<Assets, 'head' | 'policy'> | undefined,
): Promise<Response> {
  const title = 'Something went wrong';
  const main = await html`<main class="page"><header><h1>${title}</h1></header>
<p>${body.error.message}</p><p><a href="/">Back to the start page</a></p></main>`;
  return rawResponse(String(await bareDocument(siteTitle, title, main, assets?.head)), http, {
    ...headers,
    ...(assets && reportedPolicy(assets.policy, { isSecure })),
    'content-type': 'text/html; charset=utf-8',
  });
}

/** A width that link previews show well; a smaller picture is used as it is. */
const fittingWidth = 1_200;

export type Preview = { path: string; width: number; height: number; alt: string };

const ours = new RegExp(`^${fileAddressForm}$`);

/**
 * The chosen or the first picture of ours in the main part of a page, in a size for link previews, with its
 * alternative text as HTML; none if `chosen` is null. Only for public pages.
 */
export function linkPreviewOf(body: string, chosen?: string | null): Preview | undefined {
  if (chosen === null) return undefined;
  const main = body.slice(Math.max(0, body.indexOf('<main')));
  for (const [tag] of main.matchAll(startTags)) {
    if (!tag.startsWith('<img ')) continue;
    const { src = '', srcset = '', alt = '', ...size } = attributesOf(tag);
    const [width, height] = [Number(size.width), Number(size.height)];
    if (chosen !== undefined && src !== chosen) continue;
    if (!ours.test(src) || !(width > 0 && height > 0)) continue;
    const sizes = [...srcset.matchAll(/(\S+) (\d+)w/g)].map(([, path = '', w]) => ({
      path,
      width: Number(w),
    }));
    const fitting = sizes.find(size => size.width >= fittingWidth) ?? { path: src, width };
    return { ...fitting, height: Math.round((height * fitting.width) / width), alt };
  }
  return undefined;
}

/** The description of a page for search engines, as JSON-LD (https://schema.org). */
export function structuredData(
  { title, description, kind, publishedAt, author }: PageHead,
  {
    url,
    siteUrl,
    siteTitle,
    image,
  }: { url: string; siteUrl: string; siteTitle: string; image: string | undefined },
): string {
  const blog = { '@type': 'Blog', name: siteTitle, url: siteUrl };
  const about =
    kind === 'article'
      ? {
          '@type': 'BlogPosting',
          headline: title,
          description,
          url,
          datePublished: publishedAt,
          ...(author !== undefined && { author: { '@type': 'Person', name: author } }),
          image,
          isPartOf: blog,
        }
      : { ...blog, description };
  return `<script type="application/ld+json">${scriptSafe({ '@context': 'https://schema.org', ...about })}</script>`;
}
