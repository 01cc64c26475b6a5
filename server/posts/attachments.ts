import { type Kysely, type Selectable, sql } from 'kysely';
import { AppError, fieldError } from '../../contract/errors.ts';
import { createId } from '../base/id.ts';
import { dialectOf } from '../db/dialect.ts';
import type { FileRow, Tables } from '../db/tables.ts';
import { fileAddress, fileIdAt, fileIdsIn } from '../files/address.ts';
import type { PostColumns, PostText } from './save.ts';

type AttachmentRow = Selectable<Tables['attachments']>;

/** What of a post says which files it carries. */
type TextWithFiles = Pick<PostText, 'attachments' | 'addable'> & {
  columns: Pick<PostColumns, 'content' | 'html'>;
};

type SavedFiles = {
  /** The rows of its attachments, and whether they replace the earlier ones. */
  attachments: readonly AttachmentRow[];
  isReplaced: boolean;
  carried: ReadonlySet<string>;
  /** Its new files, by their ids. */
  files: ReadonlyMap<string, FileRow>;
};

/**
 * Finds the files that a post lists or that its text shows, and locks them until the transaction ends. Only
 * `addable` files may be added: otherwise a post with more readers could open to them a file of somebody
 * else, or of another post (decisions 22 and 32). Throws invalid-argument.
 */
export async function findFiles(
  trx: Kysely<Tables>,
  { id: postId, isNew }: { id: string; isNew: boolean },
  { columns, attachments, addable }: TextWithFiles,
): Promise<SavedFiles> {
  const { attachments: before, carried } = isNew ? nothing : await carriedBy(trx, postId);
  const knownAt = new Map(before.map(row => [row.url, row]));
  // Fields of an attachment that a caller does not send stay unchanged.
  const listed = (attachments ?? before).map(({ url, description, alt, thumbnail }) => ({
    url,
    description,
    alt: alt === undefined ? (knownAt.get(url)?.alt ?? null) : alt,
    thumbnail: thumbnail === undefined ? (knownAt.get(url)?.thumbnail ?? null) : thumbnail,
  }));
  const mentioned = new Set([
    // In the Markdown an address may be escaped.
    ...fileIdsIn(`${columns.content} ${columns.html}`),
    ...listed.flatMap(({ url, thumbnail }) => fileIdsIn(`${url} ${thumbnail}`)),
  ]);
  const files = await lockFiles(trx, mentioned);
  for (const file of files.values()) {
    if (carried.has(file.id)) continue;
    if ('placed' in addable) {
      // Its own posts decide who sees it.
      if (!addable.placed.has(file.id)) files.delete(file.id);
    } else if (file.uploader_id !== addable.uploadedBy) {
      // Without its name, which the person who saves may no longer be allowed to know.
      throw fieldError('attachments', 'A file belongs to another post. Upload it again here.');
    }
  }
  if (attachments === undefined) return { attachments: before, isReplaced: false, carried, files };
  const rows = listed.map((attachment, position) => ({
    ...describedFile(attachment, position, knownAt.get(attachment.url), files),
    id: createId(),
    post_id: postId,
    position,
    description: attachment.description,
    alt: attachment.alt,
  }));
  return { attachments: rows, isReplaced: true, carried, files };
}

type Carried = { attachments: readonly AttachmentRow[]; carried: ReadonlySet<string> };

/** The files of a new post before it is written. */
const nothing: Carried = { attachments: [], carried: new Set() };

async function carriedBy(trx: Kysely<Tables>, postId: string): Promise<Carried> {
  const attachments = await trx
    .selectFrom('attachments')
    .selectAll()
    .where('post_id', '=', postId)
    .orderBy('position')
    .execute();
  const files = await trx.selectFrom('post_files').select('file_id').where('post_id', '=', postId).execute();
  return { attachments, carried: new Set(files.map(row => row.file_id)) };
}

/**
 * Saves what {@link findFiles} has found. Returns the files that the post has lost, whose bytes must be
 * deleted after the commit.
 */
export async function linkFiles(
  trx: Kysely<Tables>,
  postId: string,
  { attachments, isReplaced, carried, files }: SavedFiles,
): Promise<string[]> {
  if (isReplaced) {
    await trx.deleteFrom('attachments').where('post_id', '=', postId).execute();
    if (attachments.length > 0) await trx.insertInto('attachments').values(attachments).execute();
  }
  return await replaceCarried(trx, postId, carried, files);
}

/**
 * The part of an attachment's row that describes its file, which is one of `files`, or the post's `before`.
 * Throws invalid-argument.
 */
function describedFile(
  { url, thumbnail }: Pick<AttachmentRow, 'url' | 'thumbnail'>,
  position: number,
  before: AttachmentRow | undefined,
  files: ReadonlyMap<string, FileRow>,
) {
  const file = files.get(fileIdAt(url) ?? '');
  const fields = before ?? (file && fieldsOf(file));
  if (fields === undefined) {
    throw new AppError('invalid-argument', 'An attachment no longer exists. Remove it or upload it again.', {
      fields: {
        [`attachments.${position}.url`]: 'This file no longer exists. Remove it or upload it again.',
      },
    });
  }
  return { ...fields, thumbnail: thumbnail === fields.thumbnail ? thumbnail : posterAt(thumbnail, files) };
}

/** Replaces the files of a post. Returns those that it has lost. */
async function replaceCarried(
  trx: Kysely<Tables>,
  postId: string,
  carried: ReadonlySet<string>,
  files: ReadonlyMap<string, FileRow>,
): Promise<string[]> {
  const added = [...files.keys()].filter(id => !carried.has(id));
  const lost = [...carried].filter(id => !files.has(id));
  if (added.length > 0) {
    await trx
      .insertInto('post_files')
      .values(added.map(file_id => ({ post_id: postId, file_id })))
      .execute();
  }
  if (lost.length > 0) {
    await trx.deleteFrom('post_files').where('post_id', '=', postId).where('file_id', 'in', lost).execute();
  }
  return lost;
}

/** The columns of an attachment that describe its file. */
function fieldsOf({ id, name, type, size }: FileRow) {
  return { name, url: fileAddress(id, name), type, size, thumbnail: null as string | null };
}

/** The address of a video's poster. Throws invalid-argument if it is not a picture of this site. */
function posterAt(url: string | null, files: ReadonlyMap<string, FileRow>): string | null {
  if (url === null) return null;
  const file = files.get(fileIdAt(url) ?? '');
  if (file?.type.startsWith('image/')) return fileAddress(file.id, file.name);
  throw new AppError('invalid-argument', 'The poster of a video must be an uploaded picture.');
}

/**
 * The files of this list that exist, locked until the transaction ends; always in the same order, so that two
 * transactions cannot deadlock.
 */
async function lockFiles(trx: Kysely<Tables>, ids: ReadonlySet<string>): Promise<Map<string, FileRow>> {
  if (ids.size === 0) return new Map();
  const { inList, forUpdate } = dialectOf(trx);
  const meant = trx
    .selectFrom('files')
    .selectAll()
    .where(inList(sql.ref('id'), [...ids]))
    .orderBy('id');
  const rows = await forUpdate(meant).execute();
  return new Map(rows.map(row => [row.id, row]));
}
