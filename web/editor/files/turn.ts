/** JPEG and WebP lose little at this quality, and 12 megapixels stay small enough for one upload request. */
const quality = 0.92;

/** Whether a browser can rotate pictures of a type: of an animated one only the first frame would remain. */
export function canTurn(type: string): boolean {
  return ['image/jpeg', 'image/png', 'image/webp'].includes(type);
}

/**
 * A picture of this site, rotated by a quarter to the right, as another file. Throws if it cannot be loaded
 * or is larger than this browser can draw.
 */
export async function turned(url: string, name: string): Promise<File> {
  const original = await (await fetch(url)).blob();
  if (!canTurn(original.type)) throw new Error(`${original.type} cannot be turned.`);
  const picture = await createImageBitmap(original);
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [picture.height, picture.width];
  // The wide colours of phones.
  const drawing = canvas.getContext('2d', { colorSpace: 'display-p3' });
  drawing?.translate(canvas.width, 0);
  drawing?.rotate(Math.PI / 2);
  drawing?.drawImage(picture, 0, 0);
  const drawn = await new Promise<Blob | null>(resolve => canvas.toBlob(resolve, original.type, quality));
  picture.close();
  if (drawing === null || drawn === null) throw new Error(`This browser cannot turn ${url}.`);
  return new File([drawn], name, drawn);
}
