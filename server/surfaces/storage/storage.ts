import { Readable } from 'node:stream';
import type { Context, Hono } from 'hono';
import { AppError } from '../../../contract/errors.ts';
import { ownBucket } from '../../../contract/files.ts';
import { Id } from '../../../contract/values.ts';
import { type Credential, type Holder, type Identity, requireScope } from '../../access/credentials.ts';
import { holdRights } from '../../access/hold-rights.ts';
import { isLessThan, type Viewer, visitor } from '../../access/viewer.ts';
import { viewerOfCredential } from '../../accounts/session-viewers.ts';
import type { WriteContext } from '../../db/transaction.ts';
import type { Deps } from '../../deps.ts';
import { readDownloadToken } from '../../files/download-token.ts';
import { parseMetadata } from '../../files/metadata.ts';
import { checkPath, checkUploadPath } from '../../files/path.ts';
import { authorizeUpload, getFile, listFiles } from '../../files/read.ts';
import { deleteFile } from '../../files/remove.ts';
import { updateFile } from '../../files/update.ts';
import { cancelUpload, continueUpload, queryUpload, startUpload, uploadAtOnce } from '../../files/uploads.ts';
import { readBody } from '../../http/body.ts';
import { incomingOf, type RequestVariables } from '../../http/request.ts';
import { answerMedia, type OpenedFile } from '../media.ts';
import { describeFile } from './answers.ts';
import { readMultipart } from './multipart.ts';

type RequestContext = Context<RequestVariables>;
/**
 * What handlers need: the dependencies, the sender of the request, and the function that locks their rights while they
 * write.
 */
type StorageContext = Deps & Identity & WriteContext;

const maxMetadataBytes = 64 * 1024;
const maxListed = 1_000;

/** The storage protocol of Firebase under `/v0/b/{bucket}/o` (docs: wire protocols, section 2). */
export function storageSurface(app: Hono<RequestVariables>, deps: Deps): void {
  const route =
    (handle: (c: RequestContext, viewer: Viewer, context: StorageContext) => Promise<Response>) =>
    async (c: RequestContext) => {
      const { asker } = c.var;
      const who = await asker.identify(withBearer(asker.credentials));
      const { viewer } = who;
      const isReading = c.req.method === 'GET' || c.req.method === 'HEAD';
      requireScope(who.credential, isReading ? 'read' : 'files');
      const isStep = c.req.query('upload_id') !== undefined && !isLessThan(viewer.role, 'author');
      const peer = isReading || isStep ? null : asker.peer;
      // The steps of an upload are not counted. The refusal is 402 as for a full store, because clients retry 429 for
      // minutes.
      if (peer !== null) await deps.limits.takeWrite(peer);
      if (![deps.config.storageBucket, ownBucket].includes(bucketOf(c))) {
        throw new AppError('not-found', 'Unknown bucket.');
      }
      // Bodies can take minutes, so each transaction checks the rights again.
      return await handle(c, viewer, { ...deps, ...who, holdRights: trx => holdRights(trx, who, 'author') });
    };

  const object = '/v0/b/:bucket/o/:path{.+}';
  app.get(
    object,
    route(async (c, viewer, context) => {
      const path = pathOf(c);
      if (c.req.query('alt') === 'media') {
        return await answerByAddress(c, deps, context, path);
      }
      const { file } = await getFile(deps, viewer, { path });
      return json(c, describeFile(context, file));
    }),
  );
  app.patch(
    object,
    route(async (c, viewer, context) => {
      authorizeUpload(viewer);
      const file = await updateFile(context, viewer, pathOf(c), await readBody(c, maxMetadataBytes));
      return json(c, describeFile(context, file));
    }),
  );
  app.delete(
    object,
    route(async (c, viewer, context) => {
      await deleteFile(context, viewer, pathOf(c));
      return c.body(null, 204);
    }),
  );
  app.get(
    '/v0/b/:bucket/o',
    route(async (c, viewer) => {
      const { prefixes, paths, next } = await listFiles(deps, viewer, listingOf(c));
      return json(c, {
        prefixes,
        items: paths.map(name => ({ name, bucket: deps.config.storageBucket })),
        ...(next !== undefined && { nextPageToken: Buffer.from(next).toString('base64url') }),
      });
    }),
  );
  app.post(
    '/v0/b/:bucket/o',
    route(async (c, viewer, context) => {
      if (c.req.header('content-encoding') !== undefined) {
        throw new AppError('invalid-argument', 'Compressed bodies are not supported.');
      }
      const session = c.req.query('upload_id');
      if (session !== undefined) {
        // Only valid ids may reach the database: PostgreSQL refuses text with a NUL.
        if (!Id.safeParse(session).success) throw new AppError('not-found', 'Upload not found.');
        return await answerStep(c, viewer, context, session);
      }
      authorizeUpload(viewer);
      const path = checkUploadPath(c.req.query('name'));
      const protocol = c.req.header('x-goog-upload-protocol');
      if (protocol === 'resumable') return await answerStart(c, viewer, context, path);
      if (protocol !== 'multipart') throw new AppError('invalid-argument', 'Unknown upload protocol.');
      refuseLength(c, deps.config.maxFileBytes + maxMetadataBytes);
      const { json: text, type, bytes } = await readMultipart(c.req.header('content-type'), bodyOf(c));
      const { metadata, contentType } = parseMetadata(text);
      const declared = { path, type: contentType ?? type, size: null, metadata };
      return json(c, describeFile(context, await uploadAtOnce(context, viewer, declared, bytes)));
    }),
  );
  app.all('/v0/*', () => {
    throw new AppError('not-found', 'Not found.');
  });

  const answerStart = async (c: RequestContext, viewer: Viewer, context: StorageContext, path: string) => {
    const { metadata, contentType } = parseMetadata(await readBody(c, maxMetadataBytes));
    const length = c.req.header('x-goog-upload-header-content-length');
    const size = length === undefined ? null : naturalNumber('x-goog-upload-header-content-length', length);
    const type = contentType ?? c.req.header('x-goog-upload-header-content-type') ?? null;
    const id = await startUpload(context, viewer, { path, type, size, metadata });
    const url = new URL(`${deps.config.publicUrl}/v0/b/${encodeURIComponent(deps.config.storageBucket)}/o`);
    url.search = new URLSearchParams({ name: path, upload_id: id, upload_protocol: 'resumable' }).toString();
    c.header('x-goog-upload-status', 'active');
    c.header('x-goog-upload-url', url.href);
    return json(c, {});
  };

  const answerStep = async (c: RequestContext, viewer: Viewer, context: StorageContext, id: string) => {
    const commands = new Set(
      (c.req.header('x-goog-upload-command') ?? '').split(',').map(word => word.trim()),
    );
    if (commands.has('cancel')) {
      await cancelUpload(context, viewer, id);
      c.header('x-goog-upload-status', 'cancelled');
      return json(c, {});
    }
    if (commands.has('query')) {
      const { received, file } = await queryUpload(context, viewer, id);
      c.header('x-goog-upload-status', file === undefined ? 'active' : 'final');
      c.header('x-goog-upload-size-received', String(received));
      return json(c, {});
    }
    const isLast = commands.has('finalize');
    const hasBytes = commands.has('upload');
    if (!isLast && !hasBytes) throw new AppError('invalid-argument', 'Unknown upload command.');
    const offset = naturalNumber('x-goog-upload-offset', c.req.header('x-goog-upload-offset') ?? '');
    refuseLength(c, deps.config.maxFileBytes);
    const body = hasBytes ? bodyOf(c) : undefined;
    const file = await continueUpload(context, viewer, id, { offset, body, isLast });
    c.header('x-goog-upload-status', file === undefined ? 'active' : 'final');
    return json(c, file === undefined ? {} : describeFile(context, file));
  };
}

function json(c: RequestContext, value: object): Response {
  c.header('cache-control', 'no-store');
  return c.body(JSON.stringify(value), 200, { 'content-type': 'application/json; charset=utf-8' });
}

/**
 * A file can also be opened with the token in its download address, which has the rights of the viewer to whom it was
 * given. Pages of other origins may show such a file.
 */
async function answerByAddress(c: RequestContext, deps: Deps, who: Identity, path: string) {
  // The token is checked only once: it may expire while the bytes are being sent.
  const claim = claimOf(deps, c.req.query('token'));
  const openByToken = async (): Promise<OpenedFile | undefined> => {
    if (claim === undefined) return undefined;
    const holder = await holderOf(deps, claim.credential);
    if (holder === undefined) return undefined;
    const found = await getFile(deps, holder.viewer, { id: claim.fileId }).catch(whenMissing);
    return found?.file.path === path ? { found, who: holder } : undefined;
  };
  const openBy = async (context: Holder): Promise<OpenedFile> => ({
    found: await getFile(deps, context.viewer, { path }),
    who: context,
  });
  const byToken = await openByToken();
  if (byToken !== undefined) {
    c.header('cross-origin-resource-policy', 'cross-origin');
    return await answerMedia(c, deps, byToken, async () => (await openByToken()) ?? notFound());
  }
  const { asker } = c.var;
  return await answerMedia(c, deps, await openBy(who), async () =>
    openBy(await asker.identify(withBearer(asker.credentials))),
  );
}

function notFound(): never {
  throw new AppError('not-found', 'File not found');
}

function claimOf(deps: Deps, token: string | undefined) {
  const fileId = token?.split('.')[0];
  if (token === undefined || fileId === undefined) return undefined;
  const claim = readDownloadToken({ secret: deps.secret, now: deps.clock() }, fileId, token);
  return claim && { ...claim, fileId };
}

async function holderOf(deps: Deps, credential: Credential | null): Promise<Holder | undefined> {
  const { defaultTagIds } = await deps.catalogue();
  const viewer =
    credential === null ? visitor(defaultTagIds) : await viewerOfCredential(deps, credential, defaultTagIds);
  return viewer && { viewer, credential };
}

/**
 * Turns a refusal into undefined: if the holder of the token has lost the right, the sender of the request may still
 * have it.
 */
function whenMissing(error: unknown): undefined {
  if (!(error instanceof AppError)) throw error;
}

/** Replaces the scheme `Firebase`, which the storage SDK sends, by `Bearer`, which the functions SDK sends. */
function withBearer(request: Headers): Headers {
  const authorization = request.get('authorization');
  if (authorization === null || !/^firebase /i.test(authorization)) return request;
  const headers = new Headers(request);
  headers.set('authorization', authorization.replace(/^firebase/i, 'Bearer'));
  return headers;
}

/** The bucket and path in the address, decoded exactly once, here. */
function partsOf(c: RequestContext): { bucket: string; path: string } {
  const match = /^[a-z]+:\/\/[^/]*\/v0\/b\/([^/?#]*)\/o(?:\/([^?#]*))?/i.exec(c.req.url);
  try {
    return { bucket: decodeURIComponent(match?.[1] ?? ''), path: decodeURIComponent(match?.[2] ?? '') };
  } catch {
    throw new AppError('invalid-argument', 'The address is not encoded correctly.');
  }
}

const bucketOf = (c: RequestContext) => partsOf(c).bucket;
const pathOf = (c: RequestContext) => checkPath(partsOf(c).path);

function listingOf(c: RequestContext) {
  const limit = naturalNumber('maxResults', c.req.query('maxResults') ?? String(maxListed));
  const prefix = c.req.query('prefix') ?? '';
  const after = Buffer.from(c.req.query('pageToken') ?? '', 'base64url').toString();
  // No path contains a NUL, and PostgreSQL refuses text with one.
  if (`${prefix}${after}`.includes('\0'))
    throw new AppError('invalid-argument', 'This file name is not allowed.');
  return {
    prefix,
    after,
    delimiter: c.req.query('delimiter'),
    limit: Math.max(1, Math.min(limit, maxListed)),
  };
}

function naturalNumber(name: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) {
    throw new AppError('invalid-argument', `Expected a whole number in ${name}.`);
  }
  return Number(text);
}

function refuseLength(c: RequestContext, maxBytes: number): void {
  if (Number(c.req.header('content-length') ?? 0) > maxBytes) {
    throw new AppError('out-of-range', 'This file is too large.');
  }
}

/**
 * The body, as Node's own stream if there is one, which is several times as fast. It is not closed when reading ends
 * early, because then no answer could be sent.
 */
function bodyOf(c: RequestContext): AsyncIterable<Uint8Array> {
  const stream = incomingOf(c) ?? webBodyOf(c.req.raw);
  // A reader gets the error; while there is none, an error must not end the process.
  stream.on('error', () => {});
  return stream.iterator({ destroyOnReturn: false });
}

/** Called only if there is no stream of Node's: using both would make one take bytes from the other. */
function webBodyOf({ body }: Request): Readable {
  return body === null ? Readable.from([]) : Readable.fromWeb(body as never);
}
