import { basename, join } from 'node:path/posix';
import { AppError } from '../../../../contract/errors.ts';
import { checkPath } from '../../../files/path.ts';
import { decoded } from '../decoded.ts';
import type { DraftFile } from '../draft.ts';
import { type FileTree, findFirst } from '../media/tree.ts';

/** The object that an address of Firebase's storage names. */
type StoredObject = { bucket: string; path: string };

/** Forms of an address: of the client SDKs (and the emulator), of Google's storage, of the tools. */
const forms: readonly RegExp[] = [
  /^https?:\/\/(?:firebasestorage\.googleapis\.com|localhost|127\.0\.0\.1)(?::\d+)?\/v0\/b\/([^/?#]+)\/o\/([^?#]+)/i,
  /^https?:\/\/storage\.(?:googleapis|cloud\.google)\.com\/([^/?#]+)\/([^?#]+)/i,
  /^https?:\/\/([a-z0-9._-]+)\.storage\.googleapis\.com\/([^?#]+)/i,
  /^gs:\/\/([^/?#]+)\/([^?#]+)/i,
];

/** The object that an address names, with or without an access token; undefined for any other address. */
export function storedObject(address: string): StoredObject | undefined {
  for (const form of forms) {
    const [, bucket, path] = form.exec(address) ?? [];
    if (bucket !== undefined && path !== undefined) return { bucket: decoded(bucket), path: decoded(path) };
  }
  return undefined;
}

/**
 * Finds files in a copy of the bucket, as `gsutil -m cp -r gs://BUCKET FOLDER` makes it or the emulator
 * exports it. Without a copy each file stays where it is, which the report says.
 */
export async function findInBucket(
  bucket: FileTree | undefined,
  address: string,
): Promise<DraftFile | { problem: string } | undefined> {
  const object = storedObject(address);
  if (object === undefined) return undefined;
  if (bucket === undefined)
    return { problem: 'stays at Firebase, because no copy of the bucket was given (--storage)' };
  const file = await findFirst(bucket, placesOf(object));
  if (file === undefined) return { problem: 'is not in the copy of the bucket' };
  return { ...file, name: basename(object.path), ...(isPath(object.path) && { path: object.path }) };
}

function placesOf({ bucket, path }: StoredObject): string[] {
  const whole = encodeURIComponent(path);
  return [
    path,
    join(bucket, path),
    join('blobs', bucket, whole),
    join('storage_export', 'blobs', bucket, whole),
    join('blobs', encodeURIComponent(`${bucket}/${path}`)),
    join('storage_export', 'blobs', encodeURIComponent(`${bucket}/${path}`)),
  ];
}

function isPath(path: string): boolean {
  try {
    checkPath(path);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}
