import { isCameraName } from '../../../contract/camera-name.ts';
import type { UploadedFile } from '../../storage/client.ts';

/** Whether a chosen file is shown in the text; all others are attached. */
export const isShown = ({ type }: Pick<File, 'type'>): boolean => /^(image|video)\//.test(type);

const isVideo = ({ type }: Pick<File, 'type'>) => type.startsWith('video/');

/** Whether its paragraph joins that of the picture before it, and so a grid (decision 45). */
export const isPicture = (file: Pick<File, 'type'>): boolean => isShown(file) && !isVideo(file);

/**
 * The Markdown of an uploaded picture or video in a text; undefined for a picture of a type that browsers do
 * not show, which becomes an attachment.
 */
export function paragraphOf(
  file: Pick<File, 'name' | 'type'>,
  { url, type }: UploadedFile,
): string | undefined {
  const name = file.name.replaceAll(/[[\]\\`*<]/g, '\\$&');
  if (isVideo(file)) return `[Video: ${name}](${url})`;
  if (!type.startsWith('image/')) return undefined;
  // A camera's name for a picture is useless as its alternative text.
  return `![${isCameraName(file.name) ? '' : name}](${url})`;
}
