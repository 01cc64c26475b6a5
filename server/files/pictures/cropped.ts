import { AppError } from '../../../contract/errors.ts';
import { pictureTypes, typeOfBytes } from '../privacy/type.ts';
import { decoder } from './decoder.ts';
import { isDecodable, tooManyPixels } from './pictures.ts';

type Shape = { width: number; ratio: number; type: 'image/png' | 'image/webp' };

/**
 * A picture cropped to this shape around its salient part, without metadata. Throws invalid-argument if the
 * bytes are not a readable picture, out-of-range if it would take too much memory.
 */
export async function croppedPicture(bytes: Buffer, { width, ratio, type }: Shape): Promise<Buffer> {
  if (!pictureTypes.has(typeOfBytes(bytes))) throw unreadable();
  const decode = await decoder();
  const found = decode(bytes).metadata();
  const isLight = await found.then(told => isDecodable(told, bytes)).catch(refuse);
  if (!isLight) throw tooManyPixels();
  const picture = decode(bytes)
    .autoOrient()
    .resize(width, Math.round(width / ratio), { fit: 'cover', position: 'attention' });
  const encoded = type === 'image/png' ? picture.png({ palette: true }) : picture.webp({ quality: 76 });
  return await encoded.toBuffer().catch(refuse);
}

/** A picture at most this wide, without metadata. Undefined if decoding it takes too much memory. */
export async function narrowedPicture(bytes: Buffer, width: number): Promise<Buffer | undefined> {
  const decode = await decoder();
  if (!isDecodable(await decode(bytes).metadata(), bytes)) return undefined;
  const sized = decode(bytes).autoOrient().resize({ width, withoutEnlargement: true });
  return await sized.webp({ quality: 80 }).toBuffer();
}

const unreadable = () => new AppError('invalid-argument', 'This is no picture that can be read.');

function refuse(error: unknown): never {
  // sharp has no classes of errors: any error is about the picture.
  throw error instanceof Error ? unreadable() : error;
}
