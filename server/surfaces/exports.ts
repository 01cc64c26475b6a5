import type { Hono } from 'hono';
import type { Kysely } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import { Id } from '../../contract/values.ts';
import { requireScope } from '../access/credentials.ts';
import { holdRights } from '../access/hold-rights.ts';
import { requireRecentSignIn } from '../access/recent-sign-in.ts';
import type { Tables } from '../db/tables.ts';
import type { Deps } from '../deps.ts';
import type { RequestVariables } from '../http/request.ts';
import { getMadeFile } from '../transfers/read.ts';
import { openExport, recordDownload } from '../transfers/write.ts';
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
      return { id: id.data, who, found: { file: await getMadeFile(deps.db, id.data), isPublic: false } };
    };
    const opened = await open();
    const { viewer, credential } = opened.who;
    requireScope(credential, 'none');
    const context = {
      ...deps,
      by: { user: viewer.user, via: 'browser', viaName: null, address: c.var.asker.peer } as const,
      holdRights: (trx: Kysely<Tables>) => holdRights(trx, opened.who, 'admin'),
      requireRecentSignIn: (trx: Kysely<Tables>) => requireRecentSignIn(trx, credential),
    };
    // Recorded whatever part is asked for: a file without its first byte is as good as the whole.
    if (c.req.method === 'HEAD') await openExport(context, opened.id);
    else await recordDownload(context, opened.id, credential?.id ?? '');
    return await answerMedia(c, deps, open);
  });
}
