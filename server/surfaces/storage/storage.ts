import type { Hono } from 'hono';
import { AppError } from '../../../contract/errors.ts';
import { ownBucket } from '../../../contract/files.ts';
import { Id } from '../../../contract/values.ts';
import { guardsOf } from '../../access/hold-rights.ts';
import { accountOf, isLessThan, requireScope } from '../../access/viewer.ts';
import type { Deps } from '../../deps.ts';
import { checkUploadPath } from '../../files/path.ts';
import { parseMetadata } from '../../files/pictures/metadata.ts';
import { authorizeUpload, getFile, listFiles } from '../../files/read.ts';
import { deleteFile } from '../../files/remove.ts';
import { largestFile } from '../../files/uploads/largest.ts';
import { updateFile } from '../../files/uploads/update.ts';
import { uploadAtOnce } from '../../files/uploads/uploads.ts';
import { readBody } from '../../http/body.ts';
import type { RequestVariables } from '../../http/request.ts';
import { describeFile } from './answers.ts';
import { answerByAddress } from './media-address.ts';
import { readMultipart } from './multipart.ts';
import {
  bodyOf,
  bucketOf,
  json,
  maxMetadataBytes,
  naturalNumber,
  pathOf,
  type RequestContext,
  refuseLength,
  type StorageContext,
  withBearer,
} from './request.ts';
import { answerStart, answerStep } from './resumable.ts';

const maxListed = 1_000;

const bucket = '/v0/b/:bucket/o';
const object = '/v0/b/:bucket/o/:path{.+}';
const routes = [
  ['GET', object, answerFile],
  ['PATCH', object, answerUpdate],
  ['DELETE', object, answerDeletion],
  ['GET', bucket, answerList],
  ['POST', bucket, answerUpload],
] as const;

/** The storage protocol of Firebase under `/v0/b/{bucket}/o` (docs: wire protocols, section 2). */
export function storageSurface(app: Hono<RequestVariables>, deps: Deps): void {
  for (const [method, path, answer] of routes) {
    app.on(method, path, async c => await answer(c, await admit(c, deps)));
  }
  app.all('/v0/*', () => {
    throw new AppError('not-found', 'Not found.');
  });
}

/** Identifies the sender of a request, and throws if they may not send it at all. */
async function admit(c: RequestContext, deps: Deps): Promise<StorageContext> {
  const { requestIdentity } = c.var;
  const who = await requestIdentity.identify(withBearer(requestIdentity.credentials));
  const isReading = c.req.method === 'GET' || c.req.method === 'HEAD';
  requireScope(who.credential, isReading ? 'read' : 'files');
  const isStep = c.req.query('upload_id') !== undefined && !isLessThan(who.viewer.role, 'author');
  const network = isReading || isStep ? null : requestIdentity.network;
  // The steps of an upload are not counted. The refusal is 402 as for a full store, because clients retry 429
  // for minutes.
  if (network !== null) await deps.limits.countWrite(network);
  if (![deps.config.storageBucket, ownBucket].includes(bucketOf(c))) {
    throw new AppError('not-found', 'Unknown bucket.');
  }
  // Bodies can take minutes, so each transaction checks the rights again.
  return { ...deps, ...who, ...guardsOf(deps, who, 'author') };
}

async function answerFile(c: RequestContext, context: StorageContext): Promise<Response> {
  const path = pathOf(c);
  if (c.req.query('alt') === 'media') return await answerByAddress(c, context, path);
  const { file } = await getFile(context, context.viewer, { path });
  return json(c, describeFile(context, file));
}

async function answerUpdate(c: RequestContext, context: StorageContext): Promise<Response> {
  authorizeUpload(context.viewer);
  const file = await updateFile(context, context.viewer, pathOf(c), await readBody(c, maxMetadataBytes));
  return json(c, describeFile(context, file));
}

async function answerDeletion(c: RequestContext, context: StorageContext): Promise<Response> {
  await deleteFile(context, context.viewer, pathOf(c));
  return c.body(null, 204);
}

async function answerList(c: RequestContext, context: StorageContext): Promise<Response> {
  const { prefixes, paths, next } = await listFiles(context, context.viewer, listingOf(c));
  return json(c, {
    prefixes,
    items: paths.map(name => ({ name, bucket: context.config.storageBucket })),
    ...(next !== undefined && { nextPageToken: Buffer.from(next).toString('base64url') }),
  });
}

async function answerUpload(c: RequestContext, context: StorageContext): Promise<Response> {
  if (c.req.header('content-encoding') !== undefined) {
    throw new AppError('invalid-argument', 'Compressed bodies are not supported.');
  }
  const session = c.req.query('upload_id');
  if (session !== undefined) {
    // Only valid ids may reach the database: PostgreSQL refuses text with a NUL.
    if (!Id.safeParse(session).success) throw new AppError('not-found', 'Upload not found.');
    return await answerStep(c, context, session);
  }
  authorizeUpload(context.viewer);
  const path = checkUploadPath(c.req.query('name'));
  await context.limits.countFile(accountOf(context.viewer).id);
  const protocol = c.req.header('x-goog-upload-protocol');
  if (protocol === 'resumable') return await answerStart(c, context, path);
  if (protocol !== 'multipart') throw new AppError('invalid-argument', 'Unknown upload protocol.');
  refuseLength(c, (await largestFile(context)) + maxMetadataBytes);
  const { json: text, type, bytes } = await readMultipart(c.req.header('content-type'), bodyOf(c));
  const { metadata, contentType } = parseMetadata(text);
  const declared = { path, type: contentType ?? type, size: null, metadata };
  return json(c, describeFile(context, await uploadAtOnce(context, context.viewer, declared, bytes)));
}

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
