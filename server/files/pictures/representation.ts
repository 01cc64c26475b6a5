import type { FileRow } from '../../db/tables.ts';
import { type Variant, variantKey } from './pictures.ts';

/** Where bytes lie, and what they are. */
type Representation = { key: string; type: string; size: number; etag: string };

/** What is to be known of a file to send it. `id` is the key of its bytes. */
export type AnsweredFile = Pick<FileRow, 'id' | 'name' | 'type' | 'size' | 'digest' | 'variants'>;

/** A file, or its next larger size for `width`. */
export function representationOf(file: AnsweredFile, width: number | undefined): Representation {
  const variants = width === undefined ? [] : (JSON.parse(file.variants ?? '[]') as Variant[]);
  const variant = variants.find(made => made.width >= (width ?? 0));
  if (variant === undefined)
    return { key: file.id, type: file.type, size: file.size, etag: `"${file.digest}"` };
  return {
    key: variantKey(file.id, variant.width),
    type: variant.type,
    size: variant.size,
    etag: `"${file.digest}-${variant.width}"`,
  };
}
