import type { Hono } from 'hono';
import { AppError } from '../../contract/errors.ts';
import { Id } from '../../contract/values.ts';
import { requireRecentSignIn, requireScope } from '../access/hold-rights.ts';
import type { Deps } from '../deps.ts';
import type { RequestVariables } from '../http/request.ts';
import { getMadeFile } from '../transfers/read.ts';
import { answerMedia } from './media.ts';

/**
 * `GET /exports/{id}`: what an export has made, for an admin who has signed in just now, and who is one to the last byte. It
 * holds everything of the site, so for all others it does not exist.
 */
export function exportsSurface(app: Hono<RequestVariables>, deps: Deps): void {
  app.get('/exports/:id', async c => {
    const id = Id.safeParse(c.req.param('id'));
    const open = async () => {
      const who = await c.var.asker.identify();
      if (!id.success || who.viewer.role !== 'admin') throw new AppError('not-found', 'Export not found.');
      return { who, found: { file: await getMadeFile(deps.db, id.data), isPublic: false } };
    };
    const opened = await open();
    requireScope(opened.who.credential, 'none');
    await deps.db.transaction().execute(trx => requireRecentSignIn(trx, opened.who.credential));
    return await answerMedia(c, deps, opened, open);
  });
}
