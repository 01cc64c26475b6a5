import { AppError } from '../../../contract/errors.ts';
import { parseMetadata } from '../../files/pictures/metadata.ts';
import { largestFile } from '../../files/uploads/largest.ts';
import { cancelUpload, continueUpload, queryUpload, startUpload } from '../../files/uploads/uploads.ts';
import { readBody } from '../../http/body.ts';
import { describeFile } from './answers.ts';
import {
  bodyOf,
  json,
  maxMetadataBytes,
  naturalNumber,
  type RequestContext,
  refuseLength,
  type StorageContext,
} from './request.ts';

/** Begins a resumable upload: the answer names the address of its steps. */
export async function answerStart(
  c: RequestContext,
  context: StorageContext,
  path: string,
): Promise<Response> {
  const { metadata, contentType } = parseMetadata(await readBody(c, maxMetadataBytes));
  const length = c.req.header('x-goog-upload-header-content-length');
  const size = length === undefined ? null : naturalNumber('x-goog-upload-header-content-length', length);
  const type = contentType ?? c.req.header('x-goog-upload-header-content-type') ?? null;
  const id = await startUpload(context, context.viewer, { path, type, size, metadata });
  const url = new URL(
    `${context.config.publicUrl}/v0/b/${encodeURIComponent(context.config.storageBucket)}/o`,
  );
  url.search = new URLSearchParams({ name: path, upload_id: id, upload_protocol: 'resumable' }).toString();
  c.header('x-goog-upload-status', 'active');
  c.header('x-goog-upload-url', url.href);
  return json(c, {});
}

/** A step of a resumable upload: bytes, its end, a query of its progress, or its cancellation. */
export async function answerStep(c: RequestContext, context: StorageContext, id: string): Promise<Response> {
  const commands = new Set((c.req.header('x-goog-upload-command') ?? '').split(',').map(word => word.trim()));
  if (commands.has('cancel')) {
    await cancelUpload(context, context.viewer, id);
    c.header('x-goog-upload-status', 'cancelled');
    return json(c, {});
  }
  if (commands.has('query')) {
    const { received, file } = await queryUpload(context, context.viewer, id);
    c.header('x-goog-upload-status', file === undefined ? 'active' : 'final');
    c.header('x-goog-upload-size-received', String(received));
    return json(c, {});
  }
  const isLast = commands.has('finalize');
  const hasBytes = commands.has('upload');
  if (!isLast && !hasBytes) throw new AppError('invalid-argument', 'Unknown upload command.');
  const offset = naturalNumber('x-goog-upload-offset', c.req.header('x-goog-upload-offset') ?? '');
  refuseLength(c, await largestFile(context));
  const body = hasBytes ? bodyOf(c) : undefined;
  const file = await continueUpload(context, context.viewer, id, { offset, body, isLast });
  c.header('x-goog-upload-status', file === undefined ? 'active' : 'final');
  return json(c, file === undefined ? {} : describeFile(context, file));
}
