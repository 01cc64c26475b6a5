import type { Hono } from 'hono';
import { AppError } from '../../contract/errors.ts';
import { Id } from '../../contract/values.ts';
import { guardsOf } from '../access/hold-rights.ts';
import { actorOf, requireScope } from '../access/viewer.ts';
import type { Deps } from '../deps.ts';
import type { RequestVariables } from '../http/request.ts';
import { getMadeFile } from '../moving/transfers/read.ts';
import { openExport, recordDownload } from '../moving/transfers/write.ts';
import { answerMedia } from './media.ts';

/**
 * `GET /exports/{id}`: the file of an export, for an admin with a recent sign-in, who must remain one until
 * the last byte is sent. It contains everything of the site, so everybody else gets not-found.
 */
export function exportsSurface(app: Hono<RequestVariables>, deps: Deps): void {
  app.get('/exports/:id', async c => {
    const { data: id } = Id.safeParse(c.req.param('id'));
    const askAdmin = async () => {
      const who = await c.var.requestIdentity.identify();
      if (id === undefined || who.viewer.role !== 'admin')
        throw new AppError('not-found', 'Export not found.');
      return { id, who };
    };
    const asked = await askAdmin();
    const { credential } = asked.who;
    // Read once: a newer export replaces this one, whose bytes stay readable for running downloads.
    const file = await getMadeFile(deps.db, asked.id);
    requireScope(credential, 'none');
    const context = {
      ...deps,
      ...guardsOf(deps, asked.who, 'admin'),
      by: actorOf({ ...asked.who, network: c.var.requestIdentity.network }),
    };
    // Recorded for any part of the file: a file without its first byte is as good as the whole.
    if (c.req.method === 'HEAD') await openExport(context, asked.id);
    else await recordDownload(context, asked.id, credential?.id ?? '');
    return await answerMedia(c, deps, async () => {
      const { who } = await askAdmin();
      return { who, found: { file, isPublic: false } };
    });
  });
}
