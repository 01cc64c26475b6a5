import type { Context, Hono } from 'hono';
import { AppError } from '../../contract/errors.ts';
import { type SitePicture, sitePictures } from '../../contract/site-pictures.ts';
import type { Deps } from '../deps.ts';
import type { RequestVariables } from '../http/request.ts';
import { ownBytes } from '../http/responses.ts';
import { readSitePicture } from '../settings/pictures.ts';
import { initialPicture } from './pages/document.ts';

/**
 * `/site/{kind}-{width}-{name}`: the icon and the cover of the site, which are public. `/favicon.svg`: its
 * initial.
 */
export function sitePicturesSurface(app: Hono<RequestVariables>, deps: Deps): void {
  const read = async (c: Context<RequestVariables>, digest: string, width: number) => {
    const onRead = () => deps.limits.countVisit(c.var.requestIdentity.network);
    return await readSitePicture(deps.db, await deps.settings(), digest, width, onRead);
  };
  app.get('/site/:file', async c => {
    const [, kind, width, digest] = /^(icon|cover)-(\d+)-([\w-]{22})\./.exec(c.req.param('file')) ?? [];
    const bytes = digest && (await read(c, digest, Number(width)));
    if (!bytes) throw new AppError('not-found', 'There is no such picture.');
    c.header('cache-control', 'public, max-age=31536000, immutable');
    return c.body(ownBytes(bytes), 200, { 'content-type': sitePictures[kind as SitePicture].type });
  });
  // Feed readers request it without a page.
  app.get('/favicon.ico', async (c, next) => {
    const { icon } = await deps.settings();
    const bytes = icon === '' ? undefined : await read(c, icon, 32);
    if (bytes === undefined) return await next();
    c.header('cache-control', 'public, max-age=3600');
    return c.body(ownBytes(bytes), 200, { 'content-type': 'image/png' });
  });
  app.get('/favicon.svg', async c => {
    await deps.changes.caughtUp();
    c.header('cache-control', 'public, max-age=3600');
    return c.body(initialPicture(await deps.settings()), 200, { 'content-type': 'image/svg+xml' });
  });
}
