import { fullLines } from '../../contract/files.ts';
import type { FileRow } from '../db/tables.ts';
import { nameAs, ownKey, type Rendition, variantKey, variantsOf } from './variant.ts';

/** Bytes in the store, and their type. */
type Representation = {
  key: string;
  name: string;
  type: string;
  size: number;
  etag: string;
  /** The duration of a prepared sound or video. */
  seconds?: number | undefined;
};

/** Everything needed to send a file. `id` is the key of its bytes. */
export type AnsweredFile = Pick<FileRow, 'id' | 'name' | 'type' | 'size' | 'digest' | 'variants'>;

/**
 * The requested variant of a file: a picture or video of at least this size, or the poster of a video.
 * Undefined for the file itself.
 */
export type Wanted = Rendition | undefined;

/** The requested variant of a file; the file itself if it is not made yet. */
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

/** The variant that an address requests of a file of this type. An empty `width` is the file itself. */
export function wantedOf(type: string, width: string): Wanted {
  const [kind] = type.split('/');
  if (width === 'original') return undefined;
  if (kind === 'audio') return width === 'poster' ? width : 'sound';
  if (kind === 'video') return width === 'poster' ? width : Number(width || fullLines);
  return Number(width) || undefined;
}
