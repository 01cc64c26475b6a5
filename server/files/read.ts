import { join } from 'node:path';
import { AppError } from '../../contract/errors.ts';
import { type Viewer, visitor } from '../access/viewer.ts';
import type { Config } from '../config.ts';
import type { FileRow } from '../db/tables.ts';
import { mayReadAny, type Reading } from '../posts/read.ts';

/**
 * Where a file is reached: an address that carries no secret (decisions.md 22). The name is for people and for the rule
 * that a player's address ends in .mp4; only the id counts.
 */
export function fileAddress(id: string, name?: string): string {
  return name === undefined ? `/files/${id}` : `/files/${id}/${safeName(name)}`;
}

/** An upload's file name: anything but letters, digits and dots becomes an underscore (specification section 5). */
export function safeName(name: string): string {
  return name.slice(-100).replaceAll(/[^A-Za-z0-9.]/g, '_');
}

/** Where the bytes of a file lie. The id is ours: nothing that a person named becomes a part of a path. */
export function pathOfFile({ dataDir }: Pick<Config, 'dataDir'>, id: string): string {
  return join(dataDir, 'files', id);
}

/**
 * A file as the viewer may have it: they may read a post that carries it, or they uploaded it and no post carries it
 * yet, or they are an admin (decisions.md 22). `isPublic`: a visitor may have it, too. Throws not-found for every other
 * file, so that nobody learns which exist.
 */
export async function getFile(
  reading: Reading,
  viewer: Viewer,
  id: string,
): Promise<{ file: FileRow; isPublic: boolean }> {
  const { db } = reading;
  const file = await db.selectFrom('files').selectAll().where('id', '=', id).executeTakeFirst();
  if (file === undefined) throw notFound();
  const posts = await db.selectFrom('post_files').select('post_id').where('file_id', '=', id).execute();
  const postIds = posts.map(post => post.post_id);
  const isPublic = await mayReadAny(reading, visitor((await reading.catalogue()).defaultTagIds), postIds);
  if (isPublic || viewer.role === 'admin') return { file, isPublic };
  const isOwn = postIds.length === 0 && viewer.role !== 'visitor' && viewer.user?.id === file.uploader_id;
  if (!isOwn && !(await mayReadAny(reading, viewer, postIds))) throw notFound();
  return { file, isPublic };
}

function notFound(): AppError {
  return new AppError('not-found', 'File not found');
}
