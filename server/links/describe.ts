import type { linkOperations } from '../../contract/links.ts';
import type { Output } from '../../contract/operations.ts';
import { accountOf, type Viewer } from '../access/viewer.ts';
import { createId } from '../base/id.ts';
import { fileAddress } from '../files/address.ts';
import { decode } from '../files/media/processes.ts';
import { pictureTypes, typeOfBytes } from '../files/privacy/type.ts';
import { type FileContext, storeStream } from '../files/uploads/write.ts';
import { publicReach, type Reach, readPage, readPicture } from './read-page.ts';

const maxPictureBytes = 2 * 1024 * 1024;
/** The picture of a card, in pixels. */
const pictureWidth = 480;

/** A page's description of itself, if it can be read; its picture is stored as a file of the viewer. */
export async function describePage(
  context: FileContext,
  viewer: Viewer,
  url: URL,
  reach: Reach = publicReach,
): Promise<Output<keyof typeof linkOperations>> {
  const uploaderId = accountOf(viewer).id;
  // Usually its host does not exist or is not reachable: then the address stays as it was pasted.
  const page = await readPage(url, reach).catch(() => undefined);
  if (page === undefined) return { page: null };
  const { title, sentence, picture } = page;
  // If its picture cannot be read, a card has none.
  const bytes = picture && (await smaller(uploaderId, picture, reach).catch(() => undefined));
  return { page: { title, sentence, picture: bytes ? await store(context, uploaderId, bytes) : null } };
}

/** Undefined if it is not a picture, or decoding it takes too much memory. */
async function smaller(by: string, picture: URL, reach: Reach): Promise<Buffer | undefined> {
  const bytes = await readPicture(picture, maxPictureBytes, reach);
  if (!pictureTypes.has(typeOfBytes(bytes))) return undefined;
  return await decode(by, 'narrowedPicture', bytes, pictureWidth);
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
