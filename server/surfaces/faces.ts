import type { Hono } from 'hono';
import { z } from 'zod';
import { AppError } from '../../contract/errors.ts';
import { facePicture } from '../../contract/site-pictures.ts';
import { Id } from '../../contract/values.ts';
import { readFace } from '../accounts/profile/face.ts';
import type { Deps } from '../deps.ts';
import type { RequestVariables } from '../http/request.ts';
import { isFresh, ownBytes } from '../http/responses.ts';

const Asked = z.object({ userId: Id, name: Id });

/**
 * `/face/{account}/{name}`: the picture of a person, for viewers who may see their name; otherwise not-found.
 */
export function facesSurface(app: Hono<RequestVariables>, deps: Deps): void {
  app.get('/face/:userId/:name', async c => {
    const { viewer } = await c.var.requestIdentity.identify();
    const asked = Asked.safeParse(c.req.param());
    const bytes = asked.success ? await readFace(deps, viewer, asked.data) : undefined;
    if (bytes === undefined) throw new AppError('not-found', 'There is no such picture.');
    c.header('vary', 'Cookie, Authorization', { append: true });
    // Caches must revalidate it each time, because rights may have changed.
    const headers = { 'cache-control': 'private, no-cache', etag: `"${asked.data?.name}"` };
    if (isFresh(c.req.header(), headers)) return c.body(null, 304, headers);
    return c.body(ownBytes(bytes), 200, { ...headers, 'content-type': facePicture.type });
  });
}
