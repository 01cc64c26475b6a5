import type { Hono } from 'hono';
import type { Deps } from '../deps.ts';
import { rawResponse } from '../http/raw-response.ts';
import type { RequestVariables } from '../http/request.ts';
import { answerHeaders } from '../http/security-headers.ts';
import { findPostAt } from '../posts/old-addresses.ts';
import type { Web } from './pages/web.ts';

/**
 * Addresses of posts on the sites that they came from: they lead who may read the post to it (301). For all others, and
 * where there never was a post, the request goes on as if this were not here.
 */
export function oldAddressesSurface(
  app: Hono<RequestVariables>,
  deps: Deps,
  web: Pick<Web, 'hasPage'>,
): void {
  app.get('*', async (c, next) => {
    const { pathname, searchParams } = new URL(c.req.url);
    const isNumbered = searchParams.has('p') || searchParams.has('page_id');
    if (web.hasPage(pathname) && !isNumbered) return await next();
    const { asker } = c.var;
    const { viewer } = await asker.identify();
    const postId = await findPostAt(deps, viewer, c.req.url);
    if (postId === undefined) return await next();
    if (viewer.user === null) await deps.limits.takeVisit(asker.peer);
    else await deps.limits.takePage(viewer.user.id);
    return rawResponse(null, 301, {
      ...answerHeaders(deps.config),
      location: `/post/${encodeURIComponent(postId)}`,
      // Browsers keep a 301 for good, and this one holds for who asks, as long as they may read the post.
      'cache-control': 'private, no-store',
      vary: 'Cookie, Authorization',
    });
  });
}
