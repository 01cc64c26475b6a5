import type { Kysely } from 'kysely';
import type { Tables } from '../db/tables.ts';
import { inTransaction } from '../db/transaction.ts';
import { findSavedPost, insertPost, type PostText, replacePost } from './save.ts';

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

/** Where a post comes from. `time` is what its file says, `modified` when the file was last changed. */
export type ImportRow = {
  id: string;
  source: string;
  digest: string;
  authorId: string | null;
  isDraft: boolean;
  time: number | undefined;
  modified: number;
};

/**
 * Writes a post and where it came from. An update keeps likes, comments, author and the date of a post whose file names
 * none; `updated_at` stays empty, because it tells what was edited by hand. Returns the files that the post has lost.
 */
export async function saveImported(
  db: Kysely<Tables>,
  { id, source, digest, authorId, isDraft, time, modified }: ImportRow,
  text: PostText,
  isKnown: boolean,
): Promise<string[]> {
  return await inTransaction({ db }, async trx => {
    const before = isKnown ? await findSavedPost(trx, id) : undefined;
    if (before?.updated_at != null) throw new EditedMeanwhile('it was edited in Coterie during the import');
    const created_at = time ?? before?.created_at ?? modified;
    const published_at = !isDraft || before?.published_at != null ? created_at : null;
    const dates = { created_at, updated_at: null, published_at };
    let lost: string[] = [];
    if (before) lost = await replacePost(trx, before, dates, text);
    else await insertPost(trx, { id, author_id: authorId, save_key: null, ...dates }, text);
    await trx
      .insertInto('imported_posts')
      .values({ source, post_id: id, digest })
      .onConflict(conflict => conflict.column('source').doUpdateSet({ post_id: id, digest }))
      .execute();
    return lost;
  });
}
