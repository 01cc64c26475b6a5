import type { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { AppError } from '../../contract/errors.ts';
import { uploadMaxBytes } from '../../contract/limits.ts';
import type { Sessions } from '../access/sessions.ts';
import { accountOf, authorize } from '../access/viewer.ts';
import type { Deps } from '../deps.ts';
import { fileAddress } from '../files/read.ts';
import { storeFile } from '../files/write.ts';
import { answerError } from './errors.ts';
import { isCrossSite, type RequestVariables } from './request.ts';

/**
 * `POST /files?name=...` with the bytes as the body, answered by `{"result": {url, name, type, size}}`: an author's file,
 * on no post yet and theirs alone (decisions.md 22). In one piece and in memory; the storage service resumes and streams.
 */
export function uploadSurface(app: Hono<RequestVariables>, deps: Deps, sessions: Sessions): void {
  app.post(
    '/files',
    bodyLimit({
      maxSize: uploadMaxBytes,
      onError: () => {
        const megabytes = uploadMaxBytes / 1024 / 1024;
        throw new AppError('invalid-argument', `A file may have at most ${megabytes} MiB.`);
      },
    }),
    async c => {
      const { headers } = c.req.raw;
      try {
        // A form of another site cannot send this type, and a script of another site is asked first (CORS).
        if (headers.get('content-type') !== 'application/octet-stream' || headers.has('content-encoding'))
          throw new AppError('invalid-argument', 'Bad Request');
        if (isCrossSite(headers))
          throw new AppError('permission-denied', 'This request comes from another site.');
        const reply = new Headers();
        const viewer = await sessions.viewerOf(headers, reply);
        authorize(viewer, 'admin');
        const name = fileName(c.req.query('name'));
        const bytes = new Uint8Array(await c.req.arrayBuffer());
        if (bytes.byteLength === 0) throw new AppError('invalid-argument', 'This file is empty.');
        const { id, type } = await storeFile(deps, { name, bytes, uploaderId: accountOf(viewer).id });
        for (const [header, value] of reply) c.header(header, value, { append: true });
        c.header('cache-control', 'no-store');
        return c.json({ result: { url: fileAddress(id, name), name, type, size: bytes.byteLength } });
      } catch (error) {
        const { http, body } = answerError(error, c.var.log);
        c.header('cache-control', 'no-store');
        return c.json(body, http as 400);
      }
    },
  );
}

/** The name as its owner sees it: the last part of a path, without what cannot be shown. */
function fileName(name: string | undefined): string {
  const last = (name ?? '').toWellFormed().split(/[\\/]/).at(-1) ?? '';
  return last.replaceAll(/\p{C}/gu, '').trim().slice(-200) || 'file';
}
