import type { Hono } from 'hono';
import { AppError } from '../../contract/errors.ts';
import { Id } from '../../contract/values.ts';
import { requireRecentSignIn, requireScope } from '../access/hold-rights.ts';
import type { Deps } from '../deps.ts';
import type { RequestVariables } from '../http/request.ts';
import { getMadeFile } from '../transfers/read.ts';
import { answerMedia } from './media.ts';

/**
 * `GET /exports/{id}`: the file that an export has made, for an admin with a recent sign-in, who must stay one until
 * the last byte is sent. It contains everything of the site, so all others get not-found.
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
