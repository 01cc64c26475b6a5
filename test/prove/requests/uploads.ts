import sharp from 'sharp';
import { bucketPath, multipart } from '../../support/multipart.ts';
import { newFile } from '../model/site-acts.ts';
import type { UploadDeed } from '../model/upload-acts.ts';
import type { Upload } from '../model/world.ts';
import type { DeedOf } from '../steps.ts';
import type { Ask } from '../wire.ts';
import type { Requests, Sending } from './request.ts';

/** The requests of files in parts. */
export const uploadRequests: Requests<UploadDeed> = {
  beginUpload: ({ headers }, step) => beginningUpload(step, headers),
  sendPart: uploadStep,
  finishUpload: uploadStep,
  askUpload: uploadStep,
  cancelUpload: uploadStep,
};

type Headers = Record<string, string>;
type Part = DeedOf<'sendPart' | 'finishUpload' | 'askUpload' | 'cancelUpload'>;

/** A file in one request. */
export async function uploadOf({ at, isPicture }: DeedOf<'upload'>, headers: Headers): Promise<Ask> {
  const file = newFile(at, isPicture);
  const init = multipart(file.bytes ?? (await picture(at)), {}, isPicture ? 'image/png' : 'audio/amr');
  return {
    method: 'POST',
    path: bucketPath(file.path),
    headers: { ...headers, ...(init.headers as Headers) },
    body: init.body as Buffer,
  };
}

/** A unique picture, wide enough that the site makes a smaller size of it. */
function picture(at: number): Promise<Buffer> {
  const background = { r: at % 256, g: Math.floor(at / 256) % 256, b: 99 };
  return sharp({ create: { width: 500, height: 20, channels: 3, background } })
    .png()
    .toBuffer();
}

/** The first request of a file in parts. */
function beginningUpload({ at }: DeedOf<'beginUpload'>, headers: Headers): Ask {
  const { path } = newFile(at, false);
  return {
    method: 'POST',
    path: bucketPath(path),
    headers: { ...headers, 'x-goog-upload-protocol': 'resumable', 'x-goog-upload-command': 'start' },
    body: JSON.stringify({ name: path, contentType: 'audio/amr' }),
  };
}

/** A later request; undefined if the upload has not begun or its file is deleted. */
function uploadStep({ world, headers }: Sending, step: Part): Ask | undefined {
  const upload = world.uploads[step.upload];
  if (upload === undefined || upload.id === '' || world.files[upload.file]?.isGone) return undefined;
  const { command, offset, body } = commandOf(step, upload);
  return {
    method: 'POST',
    path: `${bucketPath('')}&upload_id=${upload.id}&upload_protocol=resumable`,
    headers: { ...headers, 'x-goog-upload-command': command, 'x-goog-upload-offset': String(offset) },
    body,
  };
}

function commandOf({ do: deed }: Part, { file }: Upload) {
  const bytes = newFile(Number(file.slice(1)), false).bytes ?? '';
  const half = Math.floor(bytes.length / 2);
  if (deed === 'sendPart') return { command: 'upload', offset: 0, body: bytes.slice(0, half) };
  if (deed === 'finishUpload') return { command: 'upload, finalize', offset: half, body: bytes.slice(half) };
  return { command: deed === 'askUpload' ? 'query' : 'cancel', offset: 0, body: '' };
}
