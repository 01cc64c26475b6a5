import { hash } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '../../../contract/errors.ts';

/** docs/archive.md describes the format for other programs. */
export const formatVersion = 1;

/** Bytes of lines in one part, uncompressed; a longer line is a part of its own. */
export const partBytes = 8 * 1024 * 1024;

/** A larger part, compressed or not, is refused: the longest post needs half of it. Bytes. */
export const maxPartBytes = 64 * 1024 * 1024;

/** A longer manifest is refused: this is one of a million files that are all missing. Bytes. */
export const maxManifestBytes = 32 * 1024 * 1024;

/** A longer line of the kind `stored` is refused. Characters. */
const maxStoredLength = 1_000;

export const manifestName = 'manifest.json';

/** Distinguishes sites without revealing their secret. */
export const siteOf = (secret: string) => hash('sha256', `archive of ${secret}`, 'hex').slice(0, 32);

/** Parts of this kind say under which keys a site stores the files before them. */
export const storedKind = 'stored';

export const partName = (kind: string, number: number) =>
  `data/${kind}-${String(number).padStart(4, '0')}.jsonl.gz`;
export const kindOfPart = (name: string) => /^data\/([a-z_]+)-\d{4,}\.jsonl\.gz$/.exec(name)?.[1];

export const fileName = (sha256: string) => `files/${sha256}`;
export const digestOfFile = (name: string) => /^files\/([0-9a-f]{64})$/.exec(name)?.[1];

/** A hexadecimal check sum as a text of half its length: an archive may have a million. */
export const compact = (sha256: string) => Buffer.from(sha256, 'hex').toString('latin1');

/**
 * The form of an id, for a variant of a file with its rendition: the key of the file in the store. It may
 * lead to no other folder.
 */
const storedKey = /^[\w-]{1,128}(?:\.\w{1,20})?$/;
export const isStoredKey = (key: string) => storedKey.test(key);

/** A line of the kind `stored`: the bytes that the site stores under a key. */
const Stored = z.object({
  key: z.string().regex(storedKey),
  size: z.number(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type Stored = z.output<typeof Stored>;

/** Reads such a line of a part. Throws invalid-argument for a damaged line. */
export function parseStored(line: string, part: string): Stored {
  if (line.length > maxStoredLength) throw damaged(part);
  try {
    return Stored.parse(JSON.parse(line));
  } catch {
    throw damaged(part);
  }
}

/**
 * A list of `item`s that fails at the first invalid one. `z.array` makes an error for each: for a foreign
 * manifest they could take all memory.
 */
const listOf = <T>(item: z.ZodType<T>) =>
  z.custom<T[]>(value => Array.isArray(value) && value.every(one => item.safeParse(one).success));
const recordOf = <T>(item: z.ZodType<T>) =>
  z.custom<Record<string, T>>(
    value => isRecord(value) && Object.values(value).every(one => item.safeParse(one).success),
  );
const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const Part = z.object({
  name: z.string(),
  /** Lines. */
  rows: z.number(),
  /** SHA-256 of the lines, before they are compressed; hexadecimal. */
  sha256: z.string(),
});
export type Part = z.output<typeof Part>;

const Kind = z.object({ columns: listOf(z.string()), rows: z.number(), parts: listOf(Part) });
export type Kind = z.output<typeof Kind>;

const Manifest = z.object({
  format: z.literal('coterie-archive'),
  version: z.number(),
  /** ISO 8601. */
  createdAt: z.string(),
  /** The newest migration of the site's database. */
  schema: z.string(),
  /** Distinguishes sites; two archives of one site have the same. */
  site: z.string(),
  kinds: recordOf(Kind),
  files: z.object({ count: z.number(), bytes: z.number() }),
  /** Keys whose bytes the site's store lacked. */
  missing: listOf(z.string()),
});
export type Manifest = z.output<typeof Manifest>;

/** Throws invalid-argument for a manifest that this program does not understand. */
export function parseManifest(text: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw damaged(manifestName);
  }
  const { success, data } = Manifest.safeParse(value);
  if (!success) throw damaged(manifestName);
  if (data.version > formatVersion) {
    throw new AppError(
      'invalid-argument',
      `This archive has format ${data.version}, and this version of Coterie knows formats up to ${formatVersion}. Use the version that made it, or a newer one.`,
    );
  }
  return data;
}

export function damaged(what: string): AppError {
  return new AppError('invalid-argument', `This archive is damaged: ${what} is not what was written.`);
}
