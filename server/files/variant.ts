import type { FileRow } from '../db/tables.ts';

/**
 * Which variant of a file: the width of a picture in pixels, the most lines of a video, a video's poster, or
 * a sound that plays everywhere.
 */
export type Rendition = number | 'poster' | 'sound';

/** A file made from another one. Its bytes are under {@link variantKey}. */
export type Variant = {
  /** The rendition; stored under this name since only pictures had variants. */
  width: Rendition;
  type: string;
  /** Bytes. */
  size: number;
  /** The duration of a sound or a video, in whole seconds; absent if unknown. */
  seconds?: number;
  /** Whether it replaces the original, which this site does not keep. */
  isOriginal?: true;
};

export const variantKey = (id: string, rendition: Rendition) => `${id}.${rendition}`;

type OfFile = Pick<FileRow, 'id' | 'size' | 'variants'>;

export function variantsOf({ variants }: Pick<FileRow, 'variants'>): Variant[] {
  return JSON.parse(variants ?? '[]') as Variant[];
}

export function ownKey(file: Pick<FileRow, 'id' | 'variants'>): string {
  const original = variantsOf(file).find(({ isOriginal }) => isOriginal);
  return original === undefined ? file.id : variantKey(file.id, original.width);
}

/** Every key under which the store must hold bytes of a file, with their number. */
export function keysOfFile(file: OfFile): { key: string; size: number }[] {
  const made = variantsOf(file).map(({ width, size }) => ({ key: variantKey(file.id, width), size }));
  const own = { key: ownKey(file), size: file.size };
  return own.key === file.id ? [own, ...made] : made;
}

/** The name of a file whose bytes are of this type, if its extension says another one. */
export function nameAs(type: string, name: string): string {
  return `${name.replace(/\.\w{2,4}$/, '')}${endings[type] ?? ''}`;
}
const endings: Readonly<Record<string, string>> = {
  'video/mp4': '.mp4',
  'audio/mp4': '.m4a',
  'image/jpeg': '.jpg',
};
