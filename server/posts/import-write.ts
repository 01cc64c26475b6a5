import type { Kysely } from 'kysely';
import type { PostInput } from '../../contract/posts.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';
import { inTransaction } from '../db/transaction.ts';
import { withPictureSizes } from '../files/picture-html.ts';
import { ensureTagSet, ensureTags, movePublished } from '../tags/write.ts';
import { indexPost } from './write.ts';

/** The files that a post carries, with what tells whether they are the same. */
export async function filesOf(db: Kysely<Tables>, postId: string) {
  return await db
    .selectFrom('post_files')
    .innerJoin('files', 'files.id', 'post_files.file_id')
    .select(['files.id', 'files.digest'])
    .where('post_files.post_id', '=', postId)
    .execute();
}

/** Somebody saved the post while its file was being read. */
export class EditedMeanwhile extends Error {}

/** What an author would have saved, rendered. */
export type RenderedPost = { input: PostInput; html: string; text: string };

/** Where a post comes from. `time` is what its file says, `modified` when the file was last changed. */
export type ImportRow = {
  id: string;
  source: string;
  digest: string;
  authorId: string | null;
  time: number | undefined;
  modified: number;
};

/**
 * Writes a post, where it came from and the files it carries. An update keeps likes, comments, author and the date of a
 * post whose file names none; `updated_at` stays empty, because it tells what was edited by hand. Returns the files
 * that the post has lost.
 */
export async function savePost(
  db: Kysely<Tables>,
  { id, source, digest, authorId, time, modified }: ImportRow,
  { input, html, text }: RenderedPost,
  fileIds: readonly string[],
  isKnown: boolean,
): Promise<string[]> {
  return await inTransaction(db, async trx => {
    const before = isKnown ? await savedPost(trx, id) : undefined;
    if (before?.updated_at != null) throw new EditedMeanwhile('it was edited in Coterie during the import');
    const tagSetId = await ensureTagSet(trx, await ensureTags(trx, input.tags));
    const createdAt = time ?? before?.created_at ?? modified;
    const isPublished = !input.isDraft || before?.published_at != null;
    const fields = {
      type: input.type,
      title: input.type === 'essay' ? input.title : null,
      description: input.type === 'essay' ? input.description : null,
      tag_set_id: tagSetId,
      published_at: isPublished ? createdAt : null,
      created_at: createdAt,
      content: input.content,
      html: await withPictureSizes(trx, html),
      text,
    };
    if (before) {
      await trx
        .updateTable('posts')
        .set({ ...fields, version: before.version + 1 })
        .where('id', '=', id)
        .execute();
    } else {
      await trx
        .insertInto('posts')
        .values({ ...fields, id, author_id: authorId, updated_at: null })
        .execute();
    }
    await indexPost(trx, id, fields);
    const wasIn = before?.published_at == null ? null : before.tag_set_id;
    await movePublished(trx, wasIn, isPublished ? tagSetId : null);
    await trx
      .insertInto('imported_posts')
      .values({ source, post_id: id, digest })
      .onConflict(conflict => conflict.column('source').doUpdateSet({ post_id: id, digest }))
      .execute();

    const carried = before ? (await filesOf(trx, id)).map(file => file.id) : [];
    const added = fileIds.filter(fileId => !carried.includes(fileId));
    const lost = carried.filter(fileId => !fileIds.includes(fileId));
    if (added.length > 0) {
      await trx
        .insertInto('post_files')
        .values(added.map(file_id => ({ post_id: id, file_id })))
        .execute();
    }
    if (lost.length > 0) {
      await trx.deleteFrom('post_files').where('post_id', '=', id).where('file_id', 'in', lost).execute();
    }
    return lost;
  });
}

/** What an update must know of the post that it writes over; within a transaction, kept as it is until the end. */
export async function savedPost(db: Kysely<Tables>, id: string) {
  const query = db
    .selectFrom('posts')
    .select(['updated_at', 'published_at', 'created_at', 'tag_set_id', 'version'])
    .where('id', '=', id);
  return await (db.isTransaction ? dialectOf(db).locked(query) : query).executeTakeFirst();
}
