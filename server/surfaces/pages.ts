import { createHash } from 'node:crypto';
import type { Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Call } from '../../contract/operations.ts';
import { isAnonymous, type Sessions } from '../access/sessions.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Deps } from '../deps.ts';
import { invoke } from '../operations.ts';
import { escapeHtml, renderDocument } from './document.ts';
import { type Encoding, encode, encodingFor } from './encoding.ts';
import { answerError } from './errors.ts';
import type { RequestVariables } from './request.ts';
import { VisitorCache } from './visitor-cache.ts';
import type { Web } from './web.ts';

/** A page as bytes, in one encoding. */
type PageBytes = {
  status: number;
  location?: string;
  body: Buffer<ArrayBuffer>;
  encoding: Encoding;
  policy: string;
  etag: string;
  size: number;
};

/**
 * Every page, rendered for the viewer who asks, through the same operations that the browser calls. A visitor's page is
 * kept as bytes until something changes that a visitor could see, and only such a page may enter a shared cache.
 */
export function pagesSurface(app: Hono<RequestVariables>, deps: Deps, sessions: Sessions, web: Web): void {
  const cache = new VisitorCache<PageBytes>(deps.changes);

  app.get('*', async c => {
    const request = c.req.raw.headers;
    try {
      const address = addressOf(c.req.url);
      const isPublic = isAnonymous(request);
      const reply = new Headers();
      const make = async () => {
        const viewer = await sessions.viewerOf(request, reply);
        return await renderPage(deps, web, address, viewer, request, isPublic);
      };
      const encodingKey = encodingFor(request.get('accept-encoding'), Number.POSITIVE_INFINITY);
      const page = isPublic ? await cache.get(`${encodingKey} ${address}`, make) : await make();
      for (const [header, value] of reply) c.header(header, value, { append: true });
      return answerPage(c, page, isPublic);
    } catch (error) {
      const { http, body } = answerError(error, c.var.log);
      c.header('cache-control', 'no-store');
      return c.html(failureDocument(body.error.message), http as ContentfulStatusCode);
    }
  });
}

/** The path and the part of the query that pages know, so that a visitor cannot fill the cache with made-up queries. */
function addressOf(url: string): string {
  const { pathname, searchParams } = new URL(url);
  const known = new URLSearchParams();
  for (const name of ['tags', 'page', 'next', 'failed', 'comments', 'likes', 'token', 'filter', 'search']) {
    const value = searchParams.get(name);
    if (value !== null) known.set(name, value);
  }
  return known.size === 0 ? pathname : `${pathname}?${known}`;
}

async function renderPage(
  deps: Deps,
  web: Web,
  address: string,
  viewer: Viewer,
  request: Headers,
  isKept: boolean,
): Promise<PageBytes> {
  const call: Call = (name, input) =>
    invoke(name, input, { ...deps, viewer, request, reply: new Headers(), peer: null });
  const page = await web.render(address, call);
  if ('location' in page) {
    const body = Buffer.alloc(0);
    return {
      status: page.status,
      location: page.location,
      body,
      encoding: 'identity',
      policy: '',
      etag: '',
      size: 0,
    };
  }
  const assets = await web.assetsOf(page.screen);
  const html = Buffer.from(renderDocument(page, assets.tags, deps.config.publicUrl));
  const encoding = encodingFor(request.get('accept-encoding'), html.length);
  const body = (await encode(html, encoding, isKept)) as Buffer<ArrayBuffer>;
  // Who sees the same bytes gets the same tag; who sees others cannot be answered "not modified" for them.
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  return { status: page.status, body, encoding, policy: assets.policy, etag, size: body.length };
}

function answerPage(c: Context, page: PageBytes, isPublic: boolean): Response {
  c.header('cache-control', isPublic ? 'public, no-cache' : 'private, no-cache');
  c.header('vary', 'Cookie, Accept-Encoding');
  if (page.location !== undefined) return c.redirect(page.location, page.status as 302);
  c.header('content-security-policy', page.policy);
  c.header('etag', page.etag);
  if (page.status === 200 && c.req.header('if-none-match') === page.etag) return c.body(null, 304);
  c.header('content-type', 'text/html; charset=utf-8');
  if (page.encoding !== 'identity') c.header('content-encoding', page.encoding);
  return c.body(page.body, page.status as ContentfulStatusCode);
}

/** For the case that the app itself cannot be rendered. */
function failureDocument(message: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>Something went wrong</title><h1>Something went wrong</h1><p>${escapeHtml(message)}</p><p><a href="/">Try again</a></p></html>`;
}
