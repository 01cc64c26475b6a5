import type { Hono } from 'hono';
import { Id } from '../../contract/values.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Deps } from '../deps.ts';
import { viewerOfEnclosure } from '../feeds/enclosures.ts';
import { getFile, notFound } from '../files/read.ts';
import { wantedOf } from '../files/representation.ts';
import type { RequestVariables } from '../http/request.ts';
import { answerMedia } from './media.ts';

/**
 * `GET /files/{id}`, with or without a name after it: the bytes of a file, for those who may read a post with
 * it; everybody else gets not-found. With `?width=` a picture or video is sent in the next larger size that
 * exists, and with `?width=poster` the poster of a video. A video or sound is sent as prepared as soon as it
 * is, and with `?width=original` as uploaded. `?feed=` is for a personal feed, whose programs have no
 * session.
 */
export function filesSurface(app: Hono<RequestVariables>, deps: Deps): void {
  app.get('/files/:id/:name?', async c => {
    const id = Id.safeParse(c.req.param('id'));
    const width = c.req.query('width') ?? '';
    if (!id.success || !/^(?:[1-9]\d{0,4}|poster|original)?$/.test(width)) {
      throw notFound();
    }
    const feed = c.req.query('feed');
    if (feed !== undefined) c.header('referrer-policy', 'no-referrer');
    const open = async () => {
      const who =
        feed === undefined
          ? await c.var.requestIdentity.identify()
          : {
              viewer: await feedReader(deps, c.var.requestIdentity.network, id.data, feed),
              credential: null,
            };
      return { who, found: await getFile(deps, who.viewer, { id: id.data }) };
    };
    return await answerMedia(c, deps, open, ({ type }) => wantedOf(type, width));
  });
}

/** The owner of the feed that this address of a file was signed for. Throws not-found for no such feed. */
async function feedReader(
  deps: Deps,
  network: string | null,
  fileId: string,
  token: string,
): Promise<Viewer> {
  await deps.changes.caughtUp();
  const viewer = await deps.limits.lookUp(network, () => viewerOfEnclosure(deps, fileId, token));
  if (viewer === undefined) throw notFound();
  return viewer;
}
