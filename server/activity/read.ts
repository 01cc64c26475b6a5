import { sql } from 'kysely';
import { activityPerPage, commentedPostExcerpt, likedPostExcerpt } from '../../contract/constants.ts';
import type { Output } from '../../contract/operations.ts';
import { firstCodePoints } from '../../contract/text.ts';
import { accountOf, type Viewer } from '../access/viewer.ts';
import { type Cursor, decodeCursor, encodeCursor } from '../posts/cursor.ts';
import { isReadable, type PostName, postNames, type Reading } from '../posts/read.ts';

type LikedPosts = Output<'getLikedPosts'>;
type OwnComments = Output<'getOwnComments'>;

/** What the viewer likes, last liked first; posts that they may no longer read are left out (specification section 2). */
export async function listLikedPosts(
  reading: Reading,
  viewer: Viewer,
  after: string | null | undefined,
): Promise<LikedPosts> {
  let query = reading.db
    .selectFrom('likes')
    .select(['post_id', 'created_at'])
    .where('user_id', '=', accountOf(viewer).id)
    .where(await isReadable(reading, viewer, sql.ref('likes.post_id')))
    .orderBy('created_at', 'desc')
    .orderBy('post_id', 'desc')
    .limit(activityPerPage + 1);
  if (after) {
    const { sortedAt, id } = decodeCursor(after);
    query = query.where(eb => eb(eb.refTuple('created_at', 'post_id'), '<', eb.tuple(sortedAt, id)));
  }
  const { rows, nextCursor } = pageOf(await query.execute(), row => ({
    sortedAt: row.created_at,
    id: row.post_id,
  }));
  const names = await postNames(
    reading,
    viewer,
    rows.map(row => row.post_id),
  );
  return {
    likes: rows.flatMap(row => {
      const name = names.get(row.post_id);
      if (name === undefined) return [];
      return [{ postId: row.post_id, ...excerpt(name, likedPostExcerpt), likedAt: moment(row.created_at) }];
    }),
    nextCursor,
  };
}

/**
 * The viewer's own comments, newest first, on posts that they may still read. Who may not read comments, because they
 * are not approved, is shown none (decisions.md 13).
 */
export async function listOwnComments(
  reading: Reading,
  viewer: Viewer,
  after: string | null | undefined,
): Promise<OwnComments> {
  if (viewer.role === 'visitor') return { comments: [], nextCursor: null };
  let query = reading.db
    .selectFrom('comments')
    .select(['id', 'post_id', 'content', 'created_at'])
    .where('user_id', '=', accountOf(viewer).id)
    .where(await isReadable(reading, viewer, sql.ref('comments.post_id')))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(activityPerPage + 1);
  if (after) {
    const { sortedAt, id } = decodeCursor(after);
    query = query.where(eb => eb(eb.refTuple('created_at', 'id'), '<', eb.tuple(sortedAt, id)));
  }
  const { rows, nextCursor } = pageOf(await query.execute(), row => ({
    sortedAt: row.created_at,
    id: row.id,
  }));
  const names = await postNames(
    reading,
    viewer,
    rows.map(row => row.post_id),
  );
  return {
    comments: rows.flatMap(({ id, post_id, content, created_at }) => {
      const name = names.get(post_id);
      if (name === undefined) return [];
      return [
        {
          id,
          postId: post_id,
          ...excerpt(name, commentedPostExcerpt),
          content,
          createdAt: moment(created_at),
        },
      ];
    }),
    nextCursor,
  };
}

function pageOf<Row>(found: readonly Row[], cursorOf: (row: Row) => Cursor) {
  const rows = found.slice(0, activityPerPage);
  const last = rows.at(-1);
  const nextCursor =
    found.length > activityPerPage && last !== undefined ? encodeCursor(cursorOf(last)) : null;
  return { rows, nextCursor };
}

/** The title of an essay, or the first characters of a short post. */
function excerpt({ title, words }: PostName, most: number): { postTitle: string; isCut: boolean } {
  if (title !== null) return { postTitle: title, isCut: false };
  const postTitle = firstCodePoints(words, most);
  return { postTitle, isCut: postTitle.length < words.length };
}

function moment(time: number): string {
  return new Date(time).toISOString();
}
