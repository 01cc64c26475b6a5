/**
 * A picture as base64, scaled down to the size that the site shows: a camera's would take a minute to send.
 */
export async function smallerPicture(
  file: File,
  { sizes, ratio, type }: { sizes: readonly number[]; ratio: number; type: string },
): Promise<string> {
  const bitmap = await createImageBitmap(file).catch(() => {
    throw new Error('This browser cannot read this picture. Please choose a JPEG, PNG or WebP.');
  });
  const width = Math.max(...sizes);
  // It must cover its place.
  const scale = Math.min(1, Math.max(width / bitmap.width, width / ratio / bitmap.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(bitmap.width * scale);
  canvas.height = Math.round(bitmap.height * scale);
  const sent = type === 'image/png' ? type : 'image/jpeg';
  const context = canvas.getContext('2d');
  if (context !== null && sent === 'image/jpeg') {
    // A JPEG has no transparency: it would be black.
    context.fillStyle = 'white';
    context.fillRect(0, 0, canvas.width, canvas.height);
  }
  context?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  const data = canvas.toDataURL(sent, 0.9);
  return data.slice(data.indexOf(',') + 1);
}
