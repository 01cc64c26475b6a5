import { AppError } from '../../../contract/errors.ts';
import { decoder } from './decoder.ts';

type Shape = { width: number; ratio: number; type: 'image/png' | 'image/webp' };

/**
 * A picture of this shape, cropped to what draws the eye, without what the camera wrote into it. Throws
 * invalid-argument for what is no picture.
 */
export async function croppedPicture(bytes: Buffer, { width, ratio, type }: Shape): Promise<Buffer> {
  const decode = await decoder();
  const picture = decode(bytes)
    .autoOrient()
    .resize(width, Math.round(width / ratio), { fit: 'cover', position: 'attention' });
  const encoded = type === 'image/png' ? picture.png({ palette: true }) : picture.webp({ quality: 76 });
  return await encoded.toBuffer().catch(refuse);
}

function refuse(error: unknown): never {
  // sharp has no classes of errors: its words are about the picture.
  if (error instanceof Error) throw new AppError('invalid-argument', 'This is no picture that can be read.');
  throw error;
}
