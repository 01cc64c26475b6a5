/** The sizes in which pictures are offered beside their own, in pixels of width. */
const pictureWidths = [480, 960, 1440, 2160] as const;

/** How wide a picture stands in the text column (`--measure` in web/styles/tokens.css), for a browser to choose by. */
export const pictureSizes = '(min-width: 42rem) 37.5rem, 100vw';

/** The sizes in which a picture of this width is offered beside its own. */
export function widthsBelow(width: number): number[] {
  return pictureWidths.filter(offered => offered < width);
}

/** The sizes of a picture of ours, as `srcset` has them. Undefined when there is only its own. */
export function pictureSources(address: string, type: string, width: number): string | undefined {
  // A GIF may move, and then has one size only.
  const widths = type === 'image/gif' ? [] : widthsBelow(width);
  if (widths.length === 0) return undefined;
  return [...widths.map(offered => `${address}?width=${offered} ${offered}w`), `${address} ${width}w`].join(
    ', ',
  );
}

/** What the storage service tells of a file: the form of Firebase, in which numbers are text. */
export type StorageMetadata = {
  name: string;
  bucket: string;
  generation: string;
  metageneration: string;
  contentType: string;
  size: string;
  timeCreated: string;
  updated: string;
  md5Hash?: string;
  etag: string;
  downloadTokens: string;
  cacheControl?: string;
  contentDisposition?: string;
  contentEncoding?: string;
  contentLanguage?: string;
  /** What the owner wants to be told back. */
  metadata?: Record<string, string>;
  /** Where this site's own pages show it: an address that carries no secret. */
  url: string;
};

/** Names this site's bucket without knowing it. */
export const ownBucket = '-';
