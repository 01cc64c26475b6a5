import { type InferResult, type Kysely, sql } from 'kysely';
import type { Comment } from '../../contract/comments.ts';
import { activityPerPage, commentedPostExcerpt, commentsPerPage } from '../../contract/constants.ts';
import { moment } from '../../contract/date.ts';
import type { Output } from '../../contract/operations.ts';
import { mayEdit } from '../access/audience.ts';
import type { ReadContext } from '../access/context.ts';
import { getCounts, isReadable } from '../access/posts.ts';
import { accountOf, type Viewer } from '../access/viewer.ts';
import { dialectOf } from '../db/dialect.ts';
import { readPage } from '../db/page.ts';
import type { Tables } from '../db/tables.ts';
import { postNames } from '../posts/read.ts';

/** The name on a comment whose author's account is deleted (specification section 3). */
const unknownUser = 'Unknown User';

/**
 * A page of a post's comments, newest first, for a viewer whom `authorize` has found approved. Throws
 * not-found or permission-denied as reading the post does.
 */
export async function listComments(
  deps: ReadContext,
  viewer: Viewer,
  postId: string,
  after: string | null | undefined,
): Promise<Output<'listComments'>> {
  const { rows, nextCursor } = await readPage(
    selectComments(deps.db).where('comments.post_id', '=', postId),
    { columns: ['comments.created_at', 'comments.id'], direction: 'desc', after, limit: commentsPerPage },
    row => ({ sortedBy: row.created_at, id: row.id }),
  );
  // Asked after the comments were read: who lost the post meanwhile may not know what was written on it
  // since.
  const { commentCount } = await getCounts(deps, viewer, postId);
  return { comments: rows.map(row => describeComment(row, viewer)), commentCount, nextCursor };
}

/**
 * The viewer's own comments, newest first, on posts that they may still read. An account that is not approved
 * may not read comments and gets none (decisions.md 13).
 */
export async function listOwnComments(
  deps: ReadContext,
  viewer: Viewer,
  after: string | null | undefined,
): Promise<Output<'getOwnComments'>> {
  if (viewer.role === 'visitor') return { comments: [], nextCursor: null };
  const query = deps.db
    .selectFrom('comments')
    .select(['id', 'post_id', 'content', 'created_at'])
    .where('user_id', '=', accountOf(viewer).id)
    .where(await isReadable(deps, viewer, sql.ref('comments.post_id')));
  const { rows, nextCursor } = await readPage(
    query,
    { columns: ['created_at', 'id'], direction: 'desc', after, limit: activityPerPage },
    row => ({ sortedBy: row.created_at, id: row.id }),
  );
  const ids = rows.map(row => row.post_id);
  const names = await postNames(deps, viewer, ids, commentedPostExcerpt);
  return {
    comments: rows.flatMap(({ id, post_id, content, created_at }) => {
      const name = names.get(post_id);
      if (name === undefined) return [];
      return [{ id, postId: post_id, ...name, content, createdAt: moment(created_at) }];
    }),
    nextCursor,
  };
}

/** Comments with the names of their authors. The caller has checked the right to read the post. */
export function selectComments(db: Kysely<Tables>) {
  return db
    .selectFrom('comments')
    .innerJoin('posts', 'posts.id', 'comments.post_id')
    .leftJoin('users', 'users.id', 'comments.user_id')
    .select([
      'comments.id',
      'comments.post_id',
      'comments.content',
      'comments.created_at',
      'comments.user_id',
      'comments.author_name',
      'users.display_username as username',
      'users.is_admin',
      'users.is_author',
      'users.status',
      'posts.author_id as post_author_id',
    ]);
}

export type CommentRow = InferResult<ReturnType<typeof selectComments>>[number];

/**
 * The newest comment of each of these posts that has any, by post. The caller has checked the right to read
 * the post.
 */
export async function newestComments(
  db: Kysely<Tables>,
  postIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (postIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('posts')
    .select('posts.id as post_id')
    .select(eb =>
      eb
        .selectFrom('comments')
        .select('comments.id')
        .whereRef('comments.post_id', '=', 'posts.id')
        .orderBy('comments.created_at', 'desc')
        .orderBy('comments.id', 'desc')
        .limit(1)
        .as('id'),
    )
    .where(dialectOf(db).inList(sql.ref('posts.id'), postIds))
    .execute();
  return new Map(rows.flatMap(({ post_id, id }) => (id === null ? [] : [[post_id, id]])));
}

/** A comment as a viewer is shown it. */
export function describeComment(row: CommentRow, viewer: Viewer): Comment {
  return {
    id: row.id,
    content: row.content,
    authorUsername: row.username ?? row.author_name ?? unknownUser,
    userId: row.user_id,
    authorRole: roleOf(row),
    createdAt: moment(row.created_at),
    can: { delete: mayDelete(viewer, row) },
  };
}

/**
 * The author's role, told by the account, so that nobody can pose as the owner of the site by choosing a
 * name.
 */
function roleOf(row: CommentRow): Comment['authorRole'] {
  const { user_id, post_author_id, is_admin, is_author, status } = row;
  if (status !== 'approved' || !(is_admin || is_author)) return null;
  if (user_id === post_author_id) return 'author';
  return is_admin ? 'admin' : null;
}

/**
 * Only its author or an admin can delete a comment (specification section 5), and the author of the post, who
 * is responsible for what is shown below it.
 */
export function mayDelete(
  viewer: Viewer,
  { user_id, post_author_id }: Pick<CommentRow, 'user_id' | 'post_author_id'>,
): boolean {
  if (mayEdit(viewer, post_author_id)) return true;
  return viewer.role !== 'visitor' && viewer.user?.id === user_id;
}
