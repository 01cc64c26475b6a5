import type { Hono } from 'hono';
import type { Deps } from '../deps.ts';
import type { RequestVariables } from '../http/request.ts';
import { rawResponse } from '../http/responses.ts';
import { answerHeaders } from '../http/security-headers.ts';
import { findPostAt } from '../posts/old-addresses.ts';
import type { Web } from './pages/web.ts';

/**
 * Redirects (301) from the former address of an imported post, for viewers who may read the post. For
 * everybody else, and for unknown addresses, the request continues as if this route did not exist.
 */
export function oldAddressesSurface(
  app: Hono<RequestVariables>,
  deps: Deps,
  web: Pick<Web, 'queryOf'>,
): void {
  app.get('*', async (c, next) => {
    const { pathname, searchParams } = new URL(c.req.url);
    const isNumbered = searchParams.has('p') || searchParams.has('page_id');
    if (web.queryOf(pathname) !== undefined && !isNumbered) return await next();
    const { requestIdentity } = c.var;
    const { viewer } = await requestIdentity.identify();
    // Before the database is queried, because no cache answers for an unknown address.
    await deps.limits.count(viewer, requestIdentity.peer);
    c.set('isVisitCounted', true);
    const postId = await findPostAt(deps, viewer, c.req.url);
    if (postId === undefined) return await next();
    return rawResponse(null, 301, {
      ...answerHeaders(deps.config),
      location: `/post/${encodeURIComponent(postId)}`,
      // Browsers cache a 301 for ever, but this one is valid only for this viewer, and only while they may
      // read the post.
      'cache-control': 'private, no-store',
      vary: 'Cookie, Authorization',
    });
  });
}
