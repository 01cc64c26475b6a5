import type { IncomingMessage } from 'node:http';
import fresh from 'fresh';
import type { Hono } from 'hono';
import type { Call } from '../../../contract/operations.ts';
import { type Identity, isAnonymous } from '../../access/credentials.ts';
import { currentVisitor } from '../../access/viewer.ts';
import type { MadeFrom } from '../../db/changes/cache.ts';
import { type Deps, internalInvocation } from '../../deps.ts';
import type { AnonymousCache, PageBytes } from '../../http/anonymous-cache.ts';
import { accepts, type Encoding, encode, encodingFor } from '../../http/encoding.ts';
import { ownBytes } from '../../http/own-bytes.ts';
import { peerOf } from '../../http/peer.ts';
import { rawResponse } from '../../http/raw-response.ts';
import type { RequestVariables } from '../../http/request.ts';
import { answerHeaders, reportedPolicy } from '../../http/security-headers.ts';
import { invoke, invokeAsTemplate } from '../../operations.ts';
import { renderDocument } from './document.ts';
import type { Ask } from './marks.ts';
import type { FilledPage, SharedPages } from './shared-pages.ts';
import { Template } from './template.ts';
import type { Web } from './web.ts';

/** Whom a page is for: everybody, the viewer, or anybody with the one-time token in its address. */
type CacheScope = 'public' | 'viewer' | 'holder';
/**
 * No browser may store what only somebody could read: after the right or the session has ended, "Back" would show it
 * again to anybody at that browser.
 */
const cacheControl = { public: 'public, no-cache', viewer: 'private, no-store', holder: 'no-store' } as const;

/**
 * Every page, rendered for the viewer who requests it, through the same operations that the browser calls. A visitor's
 * page is cached until something changes that it was made from, and only such a page may enter a shared cache.
 */
export function pagesSurface(
  app: Hono<RequestVariables>,
  deps: Deps,
  web: Web,
  anonymousCache: AnonymousCache,
  sharedPages: SharedPages,
): void {
  app.get('*', async c => {
    const request = c.req.raw.headers;
    const { asker } = c.var;
    const address = addressOf(c.req.url);
    // A page whose address contains a one-time token is only for the holder of the token.
    const cacheScope = /[?&]token=/.test(address) ? 'holder' : isAnonymous(request) ? 'public' : 'viewer';
    const make = async (madeFrom?: MadeFrom) => {
      const who = await asker.identify();
      if (!c.var.isCounted) await deps.limits.take(who.viewer, asker.peer);
      return await renderPage(deps, { web, sharedPages }, address, who, request, cacheScope, madeFrom);
    };
    const accept = request.get('accept-encoding');
    const page = cacheScope === 'public' ? await anonymousCache.page(accept, address, make) : await make();
    const isKnown = page.status === 200 && fresh(c.req.header(), page.headers);
    return isKnown ? rawResponse(null, 304, page.headers) : rawResponse(page.body, page.status, page.headers);
  });
}

/** The parameters of a query that pages use. */
const knownParameters = [
  'tags',
  'page',
  'next',
  'failed',
  'comments',
  'likes',
  'token',
  'filter',
  'search',
  'done',
  'person',
  'kind',
  'from',
  'to',
  'after',
  'username',
  'name',
  'email',
];

/** The path and the known part of the query, so that a visitor cannot fill the cache with made-up queries. */
function addressOf(url: string): string {
  const { pathname, searchParams } = new URL(url);
  const known = new URLSearchParams();
  for (const name of knownParameters) {
    const value = searchParams.get(name);
    if (value !== null) known.set(name, value);
  }
  return known.size === 0 ? pathname : `${pathname}?${known}`;
}

/** What pages are rendered with. */
export type Rendering = { web: Web; sharedPages: SharedPages };

/**
 * The pages that every reader shares: the timeline and the posts, in one spelling each. A change of a post drops these
 * two of all such pages, in each encoding, and nobody can make up others.
 */
const everyonesPage = /^\/(?:post\/[\w-]+)?$/;

/**
 * Makes the pages of visitors at plain addresses, as the surface does. Limits count what a network makes the server do.
 * A page that everybody shares, and that a change has dropped, is made once for all of them, whoever comes first: it
 * counts for nobody. Otherwise the readers behind one proxy would be refused where many people like and comment.
 */
export function visitorPages(deps: Deps, rendering: Rendering) {
  return async (incoming: IncomingMessage, madeFrom: MadeFrom, isDropped: boolean): Promise<PageBytes> => {
    const isMadeForAll = isDropped && everyonesPage.test(incoming.url ?? '');
    if (!isMadeForAll) await deps.limits.takeVisit(peerOf(incoming, deps.config.trustedProxies));
    const who = await currentVisitor(deps);
    const request = new Headers({ 'accept-encoding': incoming.headers['accept-encoding']?.toString() ?? '' });
    return await renderPage(deps, rendering, incoming.url ?? '', who, request, 'public', madeFrom);
  };
}

/** Renders a page for a viewer. Throws what its operations throw, unless the screen shows the error itself. */
export async function renderPage(
  deps: Deps,
  { web, sharedPages }: Rendering,
  address: string,
  who: Identity,
  requestHeaders: Headers,
  cacheScope: CacheScope,
  madeFrom: MadeFrom | undefined,
): Promise<PageBytes> {
  const invocation = internalInvocation(deps, who, { requestHeaders, madeFrom });
  const call: Call = (name, input) => invoke(name, input, invocation);
  const ask: Ask = (name, input) => invokeAsTemplate(name, input, invocation);
  const make = async (call: Call) => {
    const page = await web.render(address, call);
    if ('location' in page) return page;
    const assets = await web.assetsOf(page.screen);
    const document = renderDocument(page, assets, deps.config.publicUrl);
    return {
      status: page.status,
      policy: assets.policy,
      template: new Template(document, assets.head, page.state),
    };
  };
  const page = await sharedPages.page(address, { call, ask }, make);
  const common = {
    ...answerHeaders(deps.config),
    'cache-control': cacheControl[cacheScope],
    vary: 'Cookie, Authorization, Accept-Encoding',
  };
  if ('location' in page) {
    return { status: page.status, body: null, headers: { ...common, location: page.location } };
  }
  const { body, encoding } = await encodePage(page, requestHeaders.get('accept-encoding'), cacheScope);
  const headers = {
    ...common,
    ...reportedPolicy(page.policy, deps.config),
    'content-type': 'text/html; charset=utf-8',
    // A page that no browser may store needs no ETag.
    ...(cacheScope === 'public' && { etag: entityTag(page) }),
    ...(encoding !== 'identity' && { 'content-encoding': encoding }),
  };
  // Only a page that will be cached has `madeFrom`.
  const own = madeFrom === undefined ? body : ownBytes(body);
  return { status: page.status, body: own, headers };
}

/** The ETag of a page, weak because it is the same in each compression: another process may choose another one. */
function entityTag({ template, values }: FilledPage): string {
  return `W/"${template.digest(values).slice(0, 22)}"`;
}

/** How long a page must have been unchanged to be worth the best compression, in milliseconds. */
const restMs = 1_000;
/** When a page was last compressed for visitors. */
const lastEncoded = new WeakMap<Template, number>();

/**
 * Compresses a page as well as is worth the time: a page that a member reads once, or that changes many times a second,
 * as quickly as possible; one that visitors share for longer, better.
 */
async function encodePage(
  { template, values }: FilledPage,
  accept: string | null,
  cacheScope: CacheScope,
): Promise<{ body: Buffer<ArrayBuffer>; encoding: Encoding }> {
  const now = performance.now();
  const isStanding = cacheScope === 'public' && now - (lastEncoded.get(template) ?? -restMs) >= restMs;
  if (cacheScope === 'public') lastEncoded.set(template, now);
  if (!isStanding && accepts(accept, 'gzip')) return { body: template.fillZipped(values), encoding: 'gzip' };
  const document = template.fill(values);
  const encoding = encodingFor(accept, document.length);
  return { body: (await encode(document, encoding)) as Buffer<ArrayBuffer>, encoding };
}
