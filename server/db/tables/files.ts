import type { Generated } from 'kysely';

/** Files, what posts have of them, and unfinished uploads. */
export type FileTables = {
  /** A stored file; its bytes lie in the file store under its id. */
  files: {
    id: string;
    /** The name by which the storage service knows it; never part of a path on disk. */
    path: string;
    /** As its owner named it: what it is downloaded as. */
    name: string;
    /** Media type, told by content (decisions.md 23). */
    type: string;
    /** Bytes, as stored. */
    size: number;
    /** SHA-256 of the bytes as they were received, base64url. */
    digest: string;
    /** MD5 of the bytes as stored, base64; null for files that are older than this column. */
    md5: string | null;
    /** Null when the account is deleted. */
    uploader_id: string | null;
    created_at: number;
    updated_at: Generated<number>;
    /** Another with each upload under the same path. */
    generation: Generated<number>;
    /** Rises with each change of metadata. */
    metageneration: Generated<number>;
    /** Metadata that a program has set: JSON of `OwnMetadata`. */
    metadata: Generated<string>;
    /** Of a picture or video, as it is shown: pixels after its orientation. */
    width: number | null;
    height: number | null;
    /** A tiny preview of a picture, as a data URL; null if it would not help. */
    placeholder: string | null;
    /**
     * Smaller sizes of a picture, and what a video or sound was prepared as: JSON of `Variant[]`; null until
     * made.
     */
    variants: string | null;
    /** Until then another process makes them, or the next attempt waits. */
    variants_due_at: Generated<number>;
    /** How often they were begun, but for failures of the store. */
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
    /** What stands below it: the caption of a picture. */
    description: string | null;
    /** What is on a picture, for those who do not see it; null where its caption says it. */
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
  /** Bytes of an unfinished upload, from `start` on; they lie in the store of files under `key`. */
  upload_parts: {
    upload_id: string;
    start: number;
    /** How many of the stored bytes belong to the upload. */
    size: number;
    /** How many bytes at the beginning had been received before and do not count. */
    skip: number;
    key: string;
    /** SHA-256 of the stored bytes as they came, base64url. */
    digest: string;
  };
  /** Sums that follow their rows by triggers: `file-bytes`, the sizes of all files. */
  totals: { name: 'file-bytes'; value: number };
};
