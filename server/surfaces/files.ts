import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { Context, Hono } from 'hono';
import { AppError } from '../../contract/errors.ts';
import { Id } from '../../contract/values.ts';
import type { Sessions } from '../access/sessions.ts';
import type { FileRow } from '../db/tables.ts';
import type { Deps } from '../deps.ts';
import { getFile, pathOfFile } from '../files/read.ts';
import { inlineTypes } from '../files/type.ts';
import { answerError } from './errors.ts';
import type { RequestVariables } from './request.ts';

/** `GET /files/{id}`, with or without a name after it: the bytes of a file, for who may read its post; for all others it does not exist. */
export function filesSurface(app: Hono<RequestVariables>, deps: Deps, sessions: Sessions): void {
  app.get('/files/:id/:name?', async c => {
    const reply = new Headers();
    try {
      const id = Id.safeParse(c.req.param('id'));
      if (!id.success) throw new AppError('not-found', 'File not found');
      const viewer = await sessions.viewerOf(c.req.raw.headers, reply);
      const { file, isPublic } = await getFile(deps, viewer, id.data);
      for (const [header, value] of reply) c.header(header, value, { append: true });
      return await answerFile(c, deps, file, isPublic);
    } catch (error) {
      const { http, body } = answerError(error, c.var.log);
      c.header('cache-control', 'no-store');
      return c.json(body, http as 404);
    }
  });
}

async function answerFile(
  c: Context<RequestVariables>,
  { config }: Deps,
  file: FileRow,
  isPublic: boolean,
): Promise<Response> {
  const etag = `"${file.digest}"`;
  // Asked again each time, because the rights to the post may have changed since.
  c.header('cache-control', isPublic ? 'public, no-cache' : 'private, no-cache');
  c.header('vary', 'Cookie, Authorization');
  c.header('etag', etag);
  c.header('x-content-type-options', 'nosniff');
  // Whatever the bytes are, they run nothing and reach nothing of this site.
  c.header('content-security-policy', "sandbox; default-src 'none'");
  if (namesTag(c.req.header('if-none-match'), etag)) return c.body(null, 304);
  c.header('content-type', file.type);
  c.header('content-length', String(file.size));
  c.header('content-disposition', disposition(file));
  // Hono answers HEAD with this route, too, and drops the body: then nothing may stay open.
  if (c.req.method === 'HEAD') return c.body(null);
  const handle = await open(pathOfFile(config, file.id));
  return c.body(Readable.toWeb(handle.createReadStream()) as ReadableStream<Uint8Array<ArrayBuffer>>);
}

function namesTag(header: string | undefined, etag: string): boolean {
  const tags = header?.split(',').map(tag => tag.trim().replace(/^W\//, ''));
  return tags !== undefined && (tags.includes(etag) || tags.includes('*'));
}

/** RFC 6266: a plain name for old clients, the real one encoded after RFC 8187. */
function disposition({ name, type }: FileRow): string {
  const plain = name.toWellFormed().replaceAll(/[^\w. -]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${inlineTypes.has(type) ? 'inline' : 'attachment'}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
