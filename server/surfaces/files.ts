import type { Hono } from 'hono';
import { AppError } from '../../contract/errors.ts';
import { Id } from '../../contract/values.ts';
import type { Sessions } from '../accounts/sessions.ts';
import type { Deps } from '../deps.ts';
import { getFile } from '../files/read.ts';
import { answerError } from '../http/errors.ts';
import type { RequestVariables } from '../http/request.ts';
import { answerMedia } from './media.ts';

/**
 * `GET /files/{id}`, with or without a name after it: the bytes of a file, for who may read its post; for all others it
 * does not exist. With `?width=` a picture comes in the next larger size that there is.
 */
export function filesSurface(app: Hono<RequestVariables>, deps: Deps, sessions: Sessions): void {
  app.get('/files/:id/:name?', async c => {
    const reply = new Headers();
    try {
      const id = Id.safeParse(c.req.param('id'));
      const width = c.req.query('width');
      if (!id.success || (width !== undefined && !/^[1-9]\d{0,4}$/.test(width))) {
        throw new AppError('not-found', 'File not found');
      }
      const viewer = await sessions.viewerOf(c.req.raw.headers, reply);
      const found = await getFile(deps, viewer, { id: id.data });
      for (const [header, value] of reply) c.header(header, value, { append: true });
      return await answerMedia(c, deps, found, width === undefined ? undefined : Number(width));
    } catch (error) {
      const { http, body } = answerError(error, c.var.log);
      c.header('cache-control', 'no-store');
      return c.json(body, http as 404);
    }
  });
}
