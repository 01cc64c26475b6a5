import type { Kysely } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import { mayEdit } from '../access/audience.ts';
import type { ReadContext } from '../access/context.ts';
import { accessToAny } from '../access/posts.ts';
import { accountOf, isLessThan, type Viewer } from '../access/viewer.ts';
import type { FileRow, Tables } from '../db/tables.ts';
import { keysOfFile } from './variant.ts';

/** A file that somebody may read. `isPublic`: a visitor may read it, too, so shared caches may keep it. */
export type ReadableFile = { file: FileRow; isPublic: boolean };

/**
 * A file that the viewer may read: they may read a post that carries it, or they uploaded it and no post
 * carries it yet, or they are an admin (decision 22). Throws not-found for every other file, so that
 * nobody learns which exist.
 */
export async function getFile(
  deps: ReadContext,
  viewer: Viewer,
  by: { id: string } | { path: string },
): Promise<ReadableFile> {
  const { db } = deps;
  // One query: a player requests a file many times.
  const files = db
    .selectFrom('files')
    .leftJoin('post_files', 'post_files.file_id', 'files.id')
    .selectAll('files')
    .select('post_files.post_id');
  const rows = await ('id' in by
    ? files.where('files.id', '=', by.id)
    : files.where('files.path', '=', by.path)
  ).execute();
  const [first] = rows;
  if (first === undefined) throw notFound();
  const { post_id: _, ...file } = first;
  const postIds = rows.flatMap(({ post_id }) => post_id ?? []);
  const { isReadable, isPublic } = await accessToAny(deps, viewer, postIds);
  const isOwn = postIds.length === 0 && viewer.role !== 'visitor' && viewer.user?.id === file.uploader_id;
  if (!isReadable && !isOwn && viewer.role !== 'admin') throw notFound();
  return { file, isPublic };
}

/**
 * Whether a viewer may upload, list, change and delete files: authors and admins may. Throws unauthenticated
 * without an account, otherwise permission-denied.
 */
export function authorizeUpload(viewer: Viewer): void {
  accountOf(viewer);
  if (isLessThan(viewer.role, 'author')) {
    throw new AppError('permission-denied', 'Only an author or an admin may upload files.');
  }
}

/** Whether somebody who may upload may change or delete a file: authors their own uploads, admins all. */
export function mayChange(viewer: Viewer, { uploader_id }: Pick<FileRow, 'uploader_id'>): boolean {
  return mayEdit(viewer, uploader_id);
}

type Listing = { prefix: string; delimiter: string | undefined; after: string | undefined; limit: number };

/**
 * Files by path (for authors their own uploads), and the folders of further ones; together at most `limit`.
 * `next` continues after them. Throws permission-denied for a viewer who may not upload.
 */
export async function listFiles(
  { db }: Pick<ReadContext, 'db'>,
  viewer: Viewer,
  { prefix, delimiter = '', after = '', limit }: Listing,
): Promise<{ prefixes: string[]; paths: string[]; next: string | undefined }> {
  authorizeUpload(viewer);
  const prefixes: string[] = [];
  const paths: string[] = [];
  let position = after;
  for (;;) {
    const rows = await db
      .selectFrom('files')
      .select('path')
      .$if(viewer.role !== 'admin', own => own.where('uploader_id', '=', viewer.user?.id ?? ''))
      .where('path', '>', position)
      // Everything with the prefix sorts between it and the prefix followed by the last Unicode character.
      .where('path', '>=', prefix)
      .where('path', '<', `${prefix}\u{10FFFF}`)
      .orderBy('path')
      .limit(limit + 1)
      .execute();
    for (const { path } of rows) {
      if (Buffer.compare(Buffer.from(path), Buffer.from(position)) <= 0) continue;
      if (prefixes.length + paths.length === limit) return { prefixes, paths, next: position };
      const end = delimiter === '' ? -1 : path.indexOf(delimiter, prefix.length);
      if (end < 0) {
        paths.push(path);
        position = path;
      } else {
        const folder = path.slice(0, end + delimiter.length);
        prefixes.push(folder);
        // Past everything in the folder.
        position = `${folder}\u{10FFFF}`;
      }
    }
    if (rows.length <= limit) return { prefixes, paths, next: undefined };
  }
}

/** Every key under which the store must hold bytes, with their number: files, and their variants. */
export async function listKeys(db: Kysely<Tables>): Promise<{ key: string; size: number }[]> {
  const files = await db.selectFrom('files').select(['id', 'size', 'variants']).execute();
  return files.flatMap(keysOfFile);
}

export function notFound(): AppError {
  return new AppError('not-found', 'File not found');
}
