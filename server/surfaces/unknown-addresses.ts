import type { Hono } from 'hono';
import type { Deps } from '../deps.ts';
import type { RequestVariables } from '../http/request.ts';
import { rawResponse } from '../http/responses.ts';
import { answerHeaders } from '../http/security-headers.ts';
import { findPostAt } from '../posts/old-addresses.ts';
import type { Web } from './pages/web.ts';

/**
 * Answers for addresses that no page of the web app has, and for numbered ones (`/?p=1`). The former address
 * of an imported post is redirected (301) for viewers who may read the post. For everybody else it is like
 * any unknown address, so that the request continues to the pages. For paths that machines try on every
 * site, such as `/wp-login.php` and `/.env`, it is 404: a redirect to the timeline, which readers get for an
 * unknown path (specification section 2), would look like a hit to them.
 */
export function unknownAddressesSurface(
  app: Hono<RequestVariables>,
  deps: Deps,
  web: Pick<Web, 'queryOf'>,
): void {
  app.get('*', async (c, next) => {
    const { pathname, searchParams } = new URL(c.req.url);
    const isPage = web.queryOf(pathname) !== undefined;
    const isNumbered = searchParams.has('p') || searchParams.has('page_id');
    if (isPage && !isNumbered) return await next();
    const { requestIdentity } = c.var;
    const { viewer } = await requestIdentity.identify();
    // Before the database is queried, because no cache answers for an unknown address.
    await deps.limits.count(viewer, requestIdentity.network);
    c.set('isVisitCounted', true);
    const postId = await findPostAt(deps, viewer, c.req.url);
    if (postId !== undefined) {
      return rawResponse(null, 301, {
        ...answerHeaders(deps.config),
        location: `/post/${encodeURIComponent(postId)}`,
        // Browsers cache a 301 for ever, but this one is valid only for this viewer, and only while they may
        // read the post.
        'cache-control': 'private, no-store',
        vary: 'Cookie, Authorization',
      });
    }
    return !isPage && isForMachines(pathname) ? c.text('Not found\n', 404) : await next();
  });
}

/**
 * Folders of other software, and files, hidden ones too, one without a dot. An address of another blog may
 * end in `.html`.
 */
const namesForMachines =
  /^\.|^(?:wp-|wordpress$|cgi-bin$|phpmyadmin$|vendor$|node_modules$|apple-app-site-association$)/i;
const fileForMachines = /.\.(?!html?$)[a-z\d]{1,12}~?$/i;

function isForMachines(pathname: string): boolean {
  const segments = pathname.split('/');
  return fileForMachines.test(segments.at(-1) ?? '') || segments.some(name => namesForMachines.test(name));
}
