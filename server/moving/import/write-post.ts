import type { Kysely } from 'kysely';
import { AppError } from '../../../contract/errors.ts';
import type { Tables } from '../../db/tables.ts';
import { inTransaction } from '../../db/transaction.ts';
import { oldAddress } from '../../posts/old-addresses.ts';
import { findSavedPost, insertPost, type PostText, replacePost } from '../../posts/save.ts';
import type { DraftPost } from './draft.ts';
import { alreadyImported, findImported, noteImported } from './imported.ts';
import { inBatches } from './in-batches.ts';
import type { ImportContext } from './post-files.ts';
import { saveComments } from './write-comments.ts';

/** The post was changed in Coterie while it was being read; the message is the reason for the report. */
export class ChangedMeanwhile extends Error {}

/** A draft ready to be saved, looked up and rendered. */
export type PreparedPost = {
  /** The unique name of the post across sources. */
  source: string;
  id: string;
  digest: string;
  /** The author, and the uploader of its files. */
  authorId: string | null;
  text: PostText;
  /** The accounts here of people of the source; null for one without. */
  accounts: ReadonlyMap<string, string | null>;
};

/**
 * Saves a post with its comments, likes, old addresses, and its record of origin, in one transaction. An
 * update keeps the author, and the date of a post whose source names none; a published one stays published.
 * Returns how many comments and likes were saved, the files that the post has lost, and notes. Throws
 * {@link ChangedMeanwhile}.
 */
export async function savePost(
  context: ImportContext,
  draft: DraftPost,
  post: PreparedPost,
): Promise<{ lost: string[]; comments: number; likes: number; notes: string[] }> {
  const { comments: onNewPosts } = await context.settings();
  return await inTransaction(context, async trx => {
    const known = await findImported(trx, post.source);
    const before = known && (await findSavedPost(trx, known.target_id));
    if (known !== undefined && before === undefined)
      throw new ChangedMeanwhile('it was deleted in Coterie during the import');
    if (before !== undefined && before.version !== known?.version)
      throw new ChangedMeanwhile('it was edited in Coterie during the import');
    const created_at = draft.date ?? before?.created_at ?? draft.fallbackDate ?? context.clock();
    const published_at = !draft.isDraft || before?.published_at != null ? created_at : null;
    const dates = { created_at, updated_at: draft.editedAt ?? null, published_at };
    let lost: string[] = [];
    if (before) ({ lost } = await replacePost(trx, before, dates, post.text));
    else {
      const row = {
        ...{ id: post.id, author_id: post.authorId, save_key: null, ...dates },
        ...{ is_pinned: draft.isPinned, comments_closed: draft.commentsClosed ?? onNewPosts === 'off' },
      };
      if (!(await insertPost(trx, row, post.text)))
        throw new AppError('already-exists', `there is another post with the id ${post.id}`);
    }
    const version = before ? before.version + 1 : 1;
    await noteImported(trx, {
      source: post.source,
      kind: 'post',
      target_id: post.id,
      digest: post.digest,
      version,
    });
    await saveAddresses(trx, post.id, draft.addresses);
    const comments = await saveComments(trx, context.secret, draft, post);
    const likes = await saveLikes(trx, draft, post);
    const unknownLikes = draft.likes.filter(like => post.accounts.get(like.personId) == null).length;
    const notes =
      unknownLikes === 0 ? [] : [`left out, of people without an account here: likes (${unknownLikes})`];
    return { lost, comments, likes, notes };
  });
}

async function saveAddresses(
  trx: Kysely<Tables>,
  postId: string,
  addresses: readonly string[],
): Promise<void> {
  const written = new Set(addresses.flatMap(address => oldAddress(address) ?? []));
  if (written.size === 0) return;
  await trx
    .insertInto('old_addresses')
    .values([...written].map(address => ({ address, post_id: postId })))
    // The first post keeps it: two posts may have had one address at their source as well.
    .onConflict(conflict => conflict.column('address').doNothing())
    .execute();
}

async function saveLikes(
  trx: Kysely<Tables>,
  { likes }: DraftPost,
  { source, id, accounts }: PreparedPost,
): Promise<number> {
  const sourceOf = (personId: string) => `${source}/likes/${personId}`;
  const known = await alreadyImported(
    trx,
    likes.map(like => sourceOf(like.personId)),
  );
  // Once for a person who liked it twice at the source.
  const times = new Map(likes.map(({ personId, time }) => [personId, time]));
  const rows = [...times].flatMap(([personId, time]) => {
    const user_id = accounts.get(personId);
    if (user_id == null || known.has(sourceOf(personId))) return [];
    return { source: sourceOf(personId), row: { post_id: id, user_id, created_at: time } };
  });
  const { length: added } = await inBatches(rows, async some => {
    await noteImported(
      trx,
      some.map(like => ({ source: like.source, kind: 'like', target_id: id })),
    );
    return await trx
      .insertInto('likes')
      .values(some.map(({ row }) => row))
      // Two people of the source can be one account here, and a member may have liked it here since.
      .onConflict(conflict => conflict.doNothing())
      .returning('user_id')
      .execute();
  });
  if (added === 0) return 0;
  await trx
    .updateTable('posts')
    .set(eb => ({ like_count: eb('like_count', '+', added) }))
    .where('id', '=', id)
    .execute();
  return added;
}
