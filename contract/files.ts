/** The smaller sizes of pictures, in pixels of width. 720 is the text column of most phones. */
const pictureWidths = [480, 720, 960, 1440, 2160] as const;

/** The attribute `sizes` of a picture in the text column: see measure and gutter in web/styles/tokens.css. */
export const pictureSizes = '(min-width: 42rem) 37.5rem, 90vw';

/**
 * The attribute `sizes` of a picture in a grid (web/styles/gallery.css), whose square it fills: a wide
 * picture is wider than the square.
 */
export const gallerySizes = '(min-width: 42rem) 28rem, 75vw';

/** The most pictures of a grid that the timeline shows; the last one says how many more there are. */
export const previewPictures = 5;

/** How many pictures of a grid the timeline leaves out: none of six, which fill two rows. */
export function beyondPreview(pictures: number): number {
  return pictures > previewPictures + 1 ? pictures - previewPictures : 0;
}

export function widthsBelow(width: number): number[] {
  return pictureWidths.filter(offered => offered < width);
}

/** The sizes of a picture of this site as a `srcset`; undefined if there is only the original. */
export function pictureSources(address: string, type: string, width: number): string | undefined {
  // A GIF may be animated, so it has only its original size.
  const widths = type === 'image/gif' ? [] : widthsBelow(width);
  if (widths.length === 0) return undefined;
  return [...widths.map(offered => `${address}?width=${offered} ${offered}w`), `${address} ${width}w`].join(
    ', ',
  );
}

/** The poster of a video of this site; responds with no content until it is made. */
export const videoPoster = (address: string) => `${address}?width=poster`;

/** The most lines of a prepared video, and the most of the one for narrow screens. */
export const fullLines = 1_080;
export const narrowLines = 480;

/**
 * The address of the video for narrow screens, and the media query for them. It serves the full video until
 * it is made.
 */
export const narrowVideo = (address: string) => `${address}?width=${narrowLines}`;
export const narrowScreens = '(max-width: 30rem)';

/** Whether a file is shown as a picture: others have a description rather than a caption. */
export const isPhoto = ({ type }: { type: string }) => type.startsWith('image/') && type !== 'image/svg+xml';

/**
 * The name of a file for readers and authors: of a sound without its extension, as it also comes in other
 * formats.
 */
export const shownName = (name: string, type: string) =>
  type.startsWith('audio/') ? name.replace(/(?<=.)\.\w{2,4}$/, '') : name;

export const postPictures = (postId: string) => `/post/${postId}/pictures.zip`;

/** The storage service's description of a file, in Firebase's format, in which numbers are text. */
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
  /** Metadata that the uploader has set. */
  metadata?: Record<string, string>;
  /** The address at which this site's own pages show it, without a secret. */
  url: string;
};

/** Stands for this site's bucket, so that the browser need not know its name. */
export const ownBucket = '-';
