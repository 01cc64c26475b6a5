import type { Generated } from 'kysely';

/** Files, how posts use them, and unfinished uploads. */
export type FileTables = {
  /** A stored file; its bytes are in the file store under its id. */
  files: {
    id: string;
    /** Its name in the storage service; never part of a path on disk. */
    path: string;
    /** Its owner's name for it, with which it is downloaded. */
    name: string;
    /** Media type, sniffed from the content (decision 23). */
    type: string;
    /** Bytes, as stored. */
    size: number;
    /** SHA-256 of the bytes as they were received, base64url. */
    digest: string;
    /** MD5 of the stored bytes, base64; null for files that are older than this column. */
    md5: string | null;
    /** Null when the account is deleted. */
    uploader_id: string | null;
    created_at: number;
    updated_at: Generated<number>;
    /** New with each upload under the same path. */
    generation: Generated<number>;
    /** Rises with each change of metadata. */
    metageneration: Generated<number>;
    /** Metadata that a program has set: JSON of `OwnMetadata`. */
    metadata: Generated<string>;
    /** The displayed size of a picture or video: pixels after its orientation. */
    width: number | null;
    height: number | null;
    /** A tiny preview of a picture, as a data URL; null if it would not help. */
    placeholder: string | null;
    /**
     * Smaller sizes of a picture, or the prepared forms of a video or sound: JSON of `Variant[]`; null until
     * made.
     */
    variants: string | null;
    /** Until then another process makes them, or the next attempt waits. */
    variants_due_at: Generated<number>;
    /** How often making them was begun, without failures of the store. */
    variants_attempts: Generated<number>;
  };
  post_files: { post_id: string; file_id: string };
  attachments: {
    id: string;
    post_id: string;
    position: number;
    name: string;
    url: string;
    type: string;
    size: number;
    /** The text below it, such as the caption of a picture. */
    description: string | null;
    /** The alternative text of a picture; null if its caption describes it. */
    alt: Generated<string | null>;
    thumbnail: string | null;
  };
  /** An upload in several steps. */
  upload_sessions: {
    id: string;
    user_id: string;
    path: string;
    /** As declared. */
    type: string | null;
    /** Bytes, as declared; null when not. */
    size: number | null;
    metadata: string;
    /** Bytes received so far, which the parts hold one after the other. */
    received: Generated<number>;
    /** Set once finished, so that a repeated last step gets the same answer. */
    file_id: string | null;
    touched_at: number;
  };
  /** Bytes of an unfinished upload, from `start` on; they are in the file store under `key`. */
  upload_parts: {
    upload_id: string;
    start: number;
    /** How many of the stored bytes belong to the upload. */
    size: number;
    /** How many bytes at the beginning were already received and do not count. */
    skip: number;
    key: string;
    /** SHA-256 of the bytes as they were received, base64url. */
    digest: string;
  };
  /** Sums that triggers keep up to date: `file-bytes`, the sizes of all files. */
  totals: { name: 'file-bytes'; value: number };
};
