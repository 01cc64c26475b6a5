import { fullLines } from '../../contract/files.ts';
import type { FileRow } from '../db/tables.ts';
import { nameAs, ownKey, type Variant, variantKey, variantsOf } from './variant.ts';

/** Where bytes lie, and what they are. */
type Representation = {
  key: string;
  name: string;
  type: string;
  size: number;
  etag: string;
  /** Of a sound or a video that was prepared. */
  seconds?: number | undefined;
};

/** What is to be known of a file to send it. `id` is the key of its bytes. */
export type AnsweredFile = Pick<FileRow, 'id' | 'name' | 'type' | 'size' | 'digest' | 'variants'>;

/**
 * Which of a file's variants is asked for: a picture or video that is at least so large, or the poster of a
 * video. Undefined for the file itself.
 */
export type Wanted = Variant['width'] | undefined;

/** The variant of a file that is wanted; where it is not made, the file itself. */
export function representationOf(file: AnsweredFile, wanted: Wanted): Representation {
  const { name, type, size, digest } = file;
  const variant = variantsOf(file).find(({ width }) =>
    typeof width === 'number' && typeof wanted === 'number' ? width >= wanted : width === wanted,
  );
  if (variant !== undefined) {
    const { width, type, size, seconds, isOriginal } = variant;
    const key = variantKey(file.id, width);
    return {
      key,
      name: isOriginal ? name : nameAs(type, name),
      type,
      size,
      seconds,
      etag: `"${digest}-${width}"`,
    };
  }
  const key = ownKey(file);
  const made = key.split('.')[1];
  return { key, name, type, size, etag: made === undefined ? `"${digest}"` : `"${digest}-${made}"` };
}

/** Which variant of a file of this type an address asks for. An empty `width` is the whole of it. */
export function wantedOf(type: string, width: string): Wanted {
  const [kind] = type.split('/');
  if (width === 'original') return undefined;
  if (kind === 'audio') return width === 'poster' ? width : 'sound';
  if (kind === 'video') return width === 'poster' ? width : Number(width || fullLines);
  return Number(width) || undefined;
}
