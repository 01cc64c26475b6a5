import type { Hono } from 'hono';
import { currentVisitor, type Identity, isAnonymous } from '../../access/viewer.ts';
import { shortDigest } from '../../base/secrets.ts';
import type { DependsOn } from '../../db/changes/cache.ts';
import type { Deps } from '../../deps.ts';
import type { Answer, AnswerCache } from '../../http/answer-cache.ts';
import type { RequestIdentity, RequestVariables } from '../../http/request.ts';
import { encode, encodingFor, isFresh, ownBytes, rawResponse } from '../../http/responses.ts';
import { answerHeaders, reportedPolicy, robotsHeaders } from '../../http/security-headers.ts';
import { internalInvocation, invoke } from '../../operations.ts';
import { findPostAt } from '../../posts/old-addresses.ts';
import { renderDocument } from './document.ts';
import { lookOf, type Web } from './web.ts';

/** The audience of a page: everybody, the viewer, or the holder of the one-time token in its address. */
type CacheScope = 'public' | 'viewer' | 'holder';
/**
 * No browser may store a private page: after the right or the session has ended, "Back" would show it again
 * to anybody at that browser.
 */
const cacheControl = { public: 'public, no-cache', viewer: 'private, no-store', holder: 'no-store' } as const;

type PagesContext = { deps: Deps; web: Web; answers: AnswerCache };

type Asked = {
  /** The path, with the query parameters that its page reads. */
  address: string;
  request: Headers;
  requestIdentity: RequestIdentity;
  /** Whether the limits have counted it already. */
  isCounted: boolean;
};

/**
 * Every page, rendered for the viewer who requests it, through the same operations that the browser calls;
 * also the redirects from former addresses of imported posts. Pages of anonymous requests, and members'
 * pages that show only posts, are cached until something that they depend on changes; only those of
 * anonymous requests may enter a shared cache.
 */
export function pagesSurface(app: Hono<RequestVariables>, deps: Deps, web: Web, answers: AnswerCache): void {
  const context = { deps, web, answers };
  app.get('*', async c => {
    const { requestIdentity } = c.var;
    const request = c.req.raw.headers;
    const { pathname, searchParams } = new URL(c.req.url);
    const query = web.queryOf(pathname);
    const mayBeOld = query === undefined || searchParams.has('p') || searchParams.has('page_id');
    if (mayBeOld) {
      const { viewer } = await requestIdentity.identify();
      // Counted here, because no cache answers before the database is queried.
      await deps.limits.count(viewer, requestIdentity.network);
      const postId = await findPostAt(deps, viewer, c.req.url);
      if (postId !== undefined) return redirectToPost(deps, postId);
      if (query === undefined && isForMachines(pathname)) return c.text('Not found\n', 404);
    }
    const address = addressOf(pathname, query ?? [], searchParams);
    const asked = { address, request, requestIdentity, isCounted: mayBeOld };
    const page =
      !isForHolder(address) && isAnonymous(request)
        ? await anonymousPage(context, asked)
        : await ownPage(context, asked);
    const isKnown = page.status === 200 && isFresh(c.req.header(), page.headers);
    return isKnown ? rawResponse(null, 304, page.headers) : rawResponse(page.body, page.status, page.headers);
  });
}

/** Whether an address contains a one-time token, so that its page is only for the holder of the token. */
const isForHolder = (address: string) => /[?&]token=/.test(address);

async function anonymousPage(context: PagesContext, asked: Asked): Promise<Answer> {
  const { deps, answers } = context;
  const { address, request, requestIdentity, isCounted } = asked;
  const acceptEncoding = request.get('accept-encoding');
  return await answers.pageForVisitors(acceptEncoding, address, async (dependsOn, isDropped) => {
    // A page that everybody shares and that a change has dropped is made once for all of them, so it does not
    // count. Otherwise readers behind one proxy would be refused on a site with many likes and comments.
    const isUncounted = isDropped && everyonesPage.test(address);
    if (!isUncounted && !isCounted) await deps.limits.countVisit(requestIdentity.network);
    // Cached pages outlive an outage of the database; a new one is only made once it can be asked.
    await deps.changes.caughtUp();
    const who = await currentVisitor(deps);
    return await renderPage(context, { address, who, request, cacheScope: 'public', dependsOn });
  });
}

/** The page of somebody in particular: of a member from the cache, if it shows only posts. */
async function ownPage(context: PagesContext, asked: Asked): Promise<Answer> {
  const { deps } = context;
  const { address, request, requestIdentity, isCounted } = asked;
  const { viewer } = await requestIdentity.identify();
  if (!isCounted) await deps.limits.count(viewer, requestIdentity.network);
  if (viewer.role === 'member' && viewer.user !== null && pageOfPosts.test(address)) {
    const page = await memberPage(context, asked, viewer.user.id);
    if (page !== undefined) return page;
  }
  const who = await requestIdentity.identify();
  const cacheScope = isForHolder(address) ? 'holder' : 'viewer';
  return await renderPage(context, { address, who, request, cacheScope, dependsOn: undefined });
}

/**
 * Undefined if the rights have changed since they were checked: then the page must not be cached for the
 * member.
 */
async function memberPage(
  context: PagesContext,
  { address, request, requestIdentity }: Asked,
  userId: string,
): Promise<Answer | undefined> {
  const acceptEncoding = request.get('accept-encoding');
  return await context.answers.pageForMember(userId, acceptEncoding, address, async dependsOn => {
    dependsOn(`viewer:${userId}`, `likes:${userId}`, `reading:${userId}`);
    const who = await requestIdentity.identify();
    return who.viewer.role === 'member' && who.viewer.user?.id === userId
      ? await renderPage(context, { address, who, request, cacheScope: 'viewer', dependsOn })
      : undefined;
  });
}

/**
 * The path and the query parameters that its page reads, so that a visitor cannot fill the cache with made-up
 * queries.
 */
function addressOf(pathname: string, query: readonly string[], given: URLSearchParams): string {
  const read = new URLSearchParams();
  for (const name of query) {
    const value = given.get(name);
    if (value !== null) read.set(name, value);
  }
  return read.size === 0 ? pathname : `${pathname}?${read}`;
}

/** From the former address of an imported post, for a viewer who may read it. */
function redirectToPost({ config }: Deps, postId: string): Response {
  return rawResponse(null, 301, {
    ...answerHeaders(config),
    location: `/post/${encodeURIComponent(postId)}`,
    // Browsers cache a 301 for ever, but this one is valid only for this viewer, and only while they may
    // read the post.
    'cache-control': 'private, no-store',
    vary: 'Cookie, Authorization',
  });
}

/**
 * Paths that machines try on every site, such as `/wp-login.php` and `/.env`: folders of other software, and
 * files, hidden ones too, one without a dot. A redirect to the timeline, which readers get for an unknown
 * path (specification section 2), would look like a hit to them. An address of another blog may end in
 * `.html`.
 */
const namesForMachines =
  /^\.|^(?:wp-|wordpress$|cgi-bin$|phpmyadmin$|vendor$|node_modules$|apple-app-site-association$)/i;
const fileForMachines = /.\.(?!html?$)[a-z\d]{1,12}~?$/i;

function isForMachines(pathname: string): boolean {
  const segments = pathname.split('/');
  return fileForMachines.test(segments.at(-1) ?? '') || segments.some(name => namesForMachines.test(name));
}

/**
 * The pages that every reader shares: the timeline and the posts, in one spelling each. An edited post drops
 * two of these pages, in each encoding; a published or deleted one all of them, since each lists the site
 * pages. Made-up ids have no page, so they are always counted.
 */
const everyonesPage = /^\/(?:post\/[\w-]+)?$/;
/** The pages that show posts, and of their reader only likes and opened posts. */
const pageOfPosts = /^\/(?:(?:post|tags)\/[\w-]+)?$/;

type PageRequest = {
  address: string;
  who: Identity;
  request: Headers;
  cacheScope: CacheScope;
  /** Set if the page will be cached. */
  dependsOn: DependsOn | undefined;
};

/**
 * Renders a page for a viewer. Throws the errors of its operations, unless the screen shows the error itself.
 */
async function renderPage(
  { deps, web }: PagesContext,
  { address, who, request, cacheScope, dependsOn }: PageRequest,
): Promise<Answer> {
  const invocation = internalInvocation(deps, who, { requestHeaders: request, dependsOn });
  const page = await web.render(address, (name, input) => invoke(name, input, invocation));
  const settings = await deps.settings();
  const common = {
    ...answerHeaders(deps.config),
    ...robotsHeaders(settings),
    'cache-control': cacheControl[cacheScope],
    vary: 'Cookie, Authorization, Accept-Encoding',
  };
  if ('location' in page) {
    return { status: page.status, body: null, headers: { ...common, location: page.location } };
  }
  const assets = await web.assetsOf(page.screen, lookOf(settings));
  const { publicUrl } = deps.config;
  const document = renderDocument(page, assets, {
    publicUrl,
    settings,
    isPublic: cacheScope === 'public',
  });
  const encoding = encodingFor(request.get('accept-encoding'), Buffer.byteLength(document));
  const body = await encode(Buffer.from(document), encoding);
  const headers = {
    ...common,
    ...reportedPolicy(assets.policy, deps.config),
    'content-type': 'text/html; charset=utf-8',
    // Weak, because it is the same in each compression. A page that no browser may store needs none.
    ...(cacheScope === 'public' && { etag: `W/"${shortDigest(document)}"` }),
    ...(encoding !== 'identity' && { 'content-encoding': encoding }),
  };
  return { status: page.status, body: ownBytes(body), headers };
}
