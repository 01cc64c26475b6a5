/** The sizes in which pictures are offered beside their own, in pixels of width. */
export const pictureWidths = [480, 960, 1440, 2160] as const;

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
