import type { Hono } from 'hono';
import { Id } from '../../contract/values.ts';
import type { Deps } from '../deps.ts';
import type { Wanted } from '../files/pictures/representation.ts';
import { getFile, notFound } from '../files/read.ts';
import type { RequestVariables } from '../http/request.ts';
import { answerMedia } from './media.ts';

/** The lines of a video that is asked for without a size. */
const videoLines = 1_080;

/**
 * `GET /files/{id}`, with or without a name after it: the bytes of a file, for those who may read a post with
 * it; all others get not-found. With `?width=` a picture or video is sent in the next larger size that
 * exists, and with `?width=poster` the poster of a video. A video or sound is sent as it was prepared, as
 * soon as it is, and with `?width=original` as it was uploaded.
 */
export function filesSurface(app: Hono<RequestVariables>, deps: Deps): void {
  app.get('/files/:id/:name?', async c => {
    const id = Id.safeParse(c.req.param('id'));
    const width = c.req.query('width') ?? '';
    if (!id.success || !/^(?:[1-9]\d{0,4}|poster|original)?$/.test(width)) {
      throw notFound();
    }
    const open = async () => {
      const who = await c.var.requestIdentity.identify();
      return { who, found: await getFile(deps, who.viewer, { id: id.data }) };
    };
    return await answerMedia(c, deps, open, ({ type }) => wantedOf(type, width));
  });
}

function wantedOf(type: string, width: string): Wanted {
  const [kind] = type.split('/');
  if (width === 'original') return undefined;
  if (kind === 'audio') return width === 'poster' ? width : 'sound';
  if (kind === 'video') return width === 'poster' ? width : Number(width || videoLines);
  return Number(width) || undefined;
}
