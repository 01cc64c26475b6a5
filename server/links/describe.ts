import type { linkOperations } from '../../contract/links.ts';
import type { Output } from '../../contract/operations.ts';
import { accountOf, type Viewer } from '../access/viewer.ts';
import { createId } from '../base/id.ts';
import { fileAddress } from '../files/address.ts';
import { decoder } from '../files/pictures/decoder.ts';
import { type FileContext, storeStream } from '../files/uploads/write.ts';
import { publicReach, type Reach, readPage, readPicture } from './read-page.ts';

const maxPictureBytes = 8 * 1024 * 1024;
/** The picture of a card, in pixels. */
const pictureWidth = 480;

/**
 * What a page says of itself, if it can be read; its picture is stored as a file of the viewer.
 */
export async function describePage(
  context: FileContext,
  viewer: Viewer,
  url: URL,
  reach: Reach = publicReach,
): Promise<Output<keyof typeof linkOperations>> {
  const uploaderId = accountOf(viewer).id;
  // Most often its host is not there, or it is none: then the address stays as it was pasted.
  const page = await readPage(url, reach).catch(() => undefined);
  if (page === undefined) return { page: null };
  const { title, sentence, picture } = page;
  // A card does without a picture that cannot be read.
  const bytes = picture && (await smaller(picture, reach).catch(() => undefined));
  return { page: { title, sentence, picture: bytes ? await store(context, uploaderId, bytes) : null } };
}

async function smaller(picture: URL, reach: Reach): Promise<Buffer> {
  const decode = await decoder();
  const bytes = await readPicture(picture, maxPictureBytes, reach);
  const sized = decode(bytes).autoOrient().resize({ width: pictureWidth, withoutEnlargement: true });
  return await sized.webp({ quality: 80 }).toBuffer();
}

async function store(context: FileContext, uploaderId: string, bytes: Buffer): Promise<string> {
  const id = createId();
  const file = { path: `posts/links/${id}.webp`, type: 'image/webp', metadata: {}, uploaderId, id };
  await storeStream(context, file, inOneChunk(bytes), bytes.length);
  return fileAddress(id, 'link.webp');
}

async function* inOneChunk(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
