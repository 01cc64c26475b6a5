import type { Hono } from 'hono';
import { Id } from '../../contract/values.ts';
import type { Deps } from '../deps.ts';
import { getFile, notFound } from '../files/read.ts';
import type { RequestVariables } from '../http/request.ts';
import { answerMedia } from './media.ts';

/**
 * `GET /files/{id}`, with or without a name after it: the bytes of a file, for those who may read a post with
 * it; all others get not-found. With `?width=` a picture is sent in the next larger size that exists.
 */
export function filesSurface(app: Hono<RequestVariables>, deps: Deps): void {
  app.get('/files/:id/:name?', async c => {
    const id = Id.safeParse(c.req.param('id'));
    const width = c.req.query('width');
    if (!id.success || (width !== undefined && !/^[1-9]\d{0,4}$/.test(width))) {
      throw notFound();
    }
    const open = async () => {
      const who = await c.var.requestIdentity.identify();
      return { who, found: await getFile(deps, who.viewer, { id: id.data }) };
    };
    return await answerMedia(c, deps, open, width === undefined ? undefined : Number(width));
  });
}
