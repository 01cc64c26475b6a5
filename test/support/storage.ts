import { createId } from '../../server/base/id.ts';
import { fileAddress } from '../../server/files/address.ts';
import { type FileContext, storeStream } from '../../server/files/uploads/write.ts';
import { bucketPath, multipart } from './multipart.ts';
import type { Person, Site } from './site.ts';

export type Upload = {
  name: string;
  id: string;
  url: string;
  contentType: string;
  size: string;
  downloadTokens: string;
};

/** Uploads a file as somebody. Throws when it is refused. */
export async function upload(
  site: Site,
  as: Person,
  name: string,
  bytes: Uint8Array | string,
  type?: string,
): Promise<Upload> {
  const response = await site.request(bucketPath(name), as, multipart(bytes, {}, type));
  const body = await response.json();
  if (!response.ok) throw new Error(`${response.status} ${body.error.message}`);
  return { ...body, id: body.url.split('/')[2] };
}

/** Attaches a file to a post, as saving the post does. */
export async function carry(site: Site, postId: string, fileId: string): Promise<void> {
  const { db } = site.deps;
  const { name, type, size } = await db
    .selectFrom('files')
    .select(['name', 'type', 'size'])
    .where('id', '=', fileId)
    .executeTakeFirstOrThrow();
  const url = fileAddress(fileId, name);
  const { position } = await db
    .selectFrom('attachments')
    .select(eb => eb.fn.countAll<number | string>().as('position'))
    .where('post_id', '=', postId)
    .executeTakeFirstOrThrow();
  const attachment = { id: createId(), post_id: postId, position: Number(position), name, url, type, size };
  await db
    .insertInto('attachments')
    .values({ ...attachment, description: null, thumbnail: null })
    .execute();
  await db.insertInto('post_files').values({ post_id: postId, file_id: fileId }).execute();
}

/** One step of an upload in several. */
export async function step(
  site: Site,
  as: Person,
  url: string,
  command: string,
  { offset, body = '' }: { offset?: number; body?: string | Uint8Array | ReadableStream } = {},
): Promise<Response> {
  const { pathname, search } = new URL(url);
  return await site.request(pathname + search, as, {
    method: 'POST',
    headers: {
      'x-goog-upload-command': command,
      ...(offset !== undefined && { 'x-goog-upload-offset': String(offset) }),
    },
    body: body as BodyInit,
    duplex: 'half',
  } as RequestInit);
}

/** Begins an upload in several steps. Returns the address of its session. */
export async function start(
  site: Site,
  as: Person,
  name: string,
  size?: number,
  metadata: object = {},
): Promise<string> {
  const response = await site.request(bucketPath(name), as, {
    method: 'POST',
    headers: {
      'x-goog-upload-protocol': 'resumable',
      'x-goog-upload-command': 'start',
      ...(size !== undefined && { 'x-goog-upload-header-content-length': String(size) }),
    },
    body: JSON.stringify(metadata),
  });
  const url = response.headers.get('x-goog-upload-url');
  if (url === null) throw new Error(`${response.status} ${await response.text()}`);
  return url;
}

/**
 * Stores a small file and returns its id, address and type. It is on no post yet. Throws as `storeStream`.
 */
export async function storeFile(
  context: FileContext,
  { name, bytes, uploaderId }: { name: string; bytes: Uint8Array; uploaderId: string | null },
): Promise<{ id: string; url: string; type: string }> {
  const whole = (async function* () {
    yield bytes;
  })();
  const path = `posts/${createId()}/${name}`;
  const file = { path, type: null, metadata: {}, uploaderId };
  const { id, type } = await storeStream(context, file, whole, bytes.length);
  return { id, url: fileAddress(id), type };
}

/** The sizes of a picture as they are stored, null before they are made, and how many attempts were begun. */
export async function sizesOf(s: Site, fileId: string) {
  return await s.deps.db
    .selectFrom('files')
    .select(['variants', 'variants_attempts as attempts'])
    .where('id', '=', fileId)
    .executeTakeFirstOrThrow();
}
