import { type Kysely, sql } from 'kysely';
import {
  activityPerPage,
  answersPerPage,
  commentedPostExcerpt,
  commentsPerPage,
  threadMaxCharacters,
} from '../../contract/constants.ts';
import { moment } from '../../contract/date.ts';
import { cutMarks } from '../../contract/marks.ts';
import type { Output } from '../../contract/operations.ts';
import { mayEdit } from '../access/audience.ts';
import type { ReadContext } from '../access/context.ts';
import { getCounts, isReadable } from '../access/posts.ts';
import { accountOf, type Viewer } from '../access/viewer.ts';
import { dialectOf } from '../db/dialect.ts';
import { type Page, pageUntil, readPage } from '../db/page.ts';
import type { Tables } from '../db/tables.ts';
import { stateOf } from '../posts/comments-state.ts';
import { postNames } from '../posts/read.ts';
import { type CommentRow, charactersOfAll, describeComment, seesText, selectComments } from './describe.ts';

type Listed = { postId: string; after?: string | null | undefined; threads?: boolean | undefined };

/**
 * A page of a post's comments, newest first, for a viewer whom `authorize` has found approved. Throws
 * not-found or permission-denied as reading the post does.
 */
export async function listComments(
  deps: ReadContext,
  viewer: Viewer,
  { postId, after, threads = false }: Listed,
): Promise<Output<'listComments'>> {
  // Read before the comments: a change in between makes the page fetch them again.
  const { version, closedAt } = await stateOf(deps, postId);
  const listed = selectComments(deps.db).where('comments.post_id', '=', postId);
  const page = await readPage(
    threads ? beginnings(listed, viewer) : readableComments(listed, viewer),
    { columns: ['comments.created_at', 'comments.id'], direction: 'desc', after, limit: commentsPerPage },
    placeOf,
  );
  const { rows, nextCursor } = threads ? await endedByLength(deps.db, viewer, page) : page;
  const answers = threads ? await answersTo(deps.db, rows) : new Map<string | null, CommentRow[]>();
  // Checked after the comments were read: a viewer who lost the post meanwhile must not learn what was
  // written on it since.
  const { commentCount, author_id } = await getCounts(deps, viewer, postId);
  return {
    comments: rows
      .flatMap(row => [row, ...(answers.get(row.id) ?? [])])
      .flatMap(row => describeComment(row, viewer) ?? []),
    commentCount,
    nextCursor,
    version,
    closedAt: moment(closedAt),
    canClose: mayEdit(viewer, author_id),
  };
}

const placeOf = (row: CommentRow) => ({ sortedBy: row.created_at, id: row.id });

type Selected = ReturnType<typeof selectComments>;

/** The comments whose text the viewer may read, without placeholders. */
function readableComments(comments: Selected, viewer: Viewer): Selected {
  const shown = comments.where('comments.is_deleted', '=', false);
  if (viewer.role === 'admin') return shown;
  return shown.where(isSeen('comments', viewer));
}

/** A hidden comment is seen only by its writer and by admins. */
function isSeen(table: 'comments' | 'answers', viewer: Viewer) {
  const [hiddenAt, userId] = ['hidden_at', 'user_id'].map(column => sql.ref(`${table}.${column}`));
  return sql<boolean>`(${hiddenAt} is null or ${userId} = ${accountOf(viewer).id})`;
}

/** The visible top-level comments, and placeholders with visible answers. */
function beginnings(comments: Selected, viewer: Viewer): Selected {
  const first = comments.where('comments.parent_id', 'is', null);
  if (viewer.role === 'admin') return first;
  const userId = accountOf(viewer).id;
  return first.where(eb =>
    eb.or([
      eb.and([eb('comments.hidden_at', 'is', null), eb('comments.is_deleted', '=', false)]),
      eb('comments.user_id', '=', userId),
      eb.exists(
        eb
          .selectFrom('comments as answers')
          .select('answers.id')
          .whereRef('answers.parent_id', '=', 'comments.id')
          .where(isSeen('answers', viewer)),
      ),
    ]),
  );
}

/**
 * Ends a page before the thread that would bring it above {@link answersPerPage} answers or
 * {@link threadMaxCharacters} visible to the viewer. The first thread is always complete.
 */
async function endedByLength(
  db: Kysely<Tables>,
  viewer: Viewer,
  page: Page<CommentRow>,
): Promise<Page<CommentRow>> {
  const ids = page.rows.flatMap(row => (row.has_answers ? [row.id] : []));
  const counting = db
    .selectFrom('comments')
    .select(eb => ['parent_id', eb.fn.countAll<number>().as('answers'), charactersOfAll.as('characters')])
    .where(dialectOf(db).inList(sql.ref('parent_id'), ids))
    .$if(viewer.role !== 'admin', answers => answers.where(isSeen('comments', viewer)))
    .groupBy('parent_id');
  const counted = ids.length === 0 ? [] : await counting.execute();
  const threads = new Map(counted.map(row => [row.parent_id, row]));
  const sum = { answers: 0, characters: 0 };
  const isTooMuch = (row: CommentRow) => {
    const { answers = 0, characters = 0 } = threads.get(row.id) ?? {};
    sum.answers += answers;
    sum.characters += characters + (seesText(viewer, row) ? row.content.length : 0);
    return sum.answers > answersPerPage || sum.characters > threadMaxCharacters;
  };
  return pageUntil(page, isTooMuch, placeOf);
}

/** All answers to these comments, oldest first. */
async function answersTo(
  db: Kysely<Tables>,
  comments: readonly CommentRow[],
): Promise<ReadonlyMap<string | null, CommentRow[]>> {
  const ids = comments.flatMap(row => (row.has_answers ? [row.id] : []));
  if (ids.length === 0) return new Map();
  const rows = await selectComments(db)
    .where(dialectOf(db).inList(sql.ref('comments.parent_id'), ids))
    .orderBy('comments.created_at')
    .orderBy('comments.id')
    .execute();
  return Map.groupBy(rows, row => row.parent_id);
}

/**
 * The viewer's own comments, newest first, on posts that they may still read. Empty for an account that is
 * not approved, which may not read comments (decision 13).
 */
export async function listOwnComments(
  deps: ReadContext,
  viewer: Viewer,
  after: string | null | undefined,
): Promise<Output<'getOwnComments'>> {
  if (viewer.role === 'visitor') return { comments: [], nextCursor: null };
  const query = deps.db
    .selectFrom('comments')
    .select(['id', 'post_id', 'content', 'created_at', 'hidden_reason'])
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
    comments: rows.flatMap(({ id, post_id, content, created_at, hidden_reason: hiddenReason }) => {
      const name = names.get(post_id);
      if (name === undefined) return [];
      const shown = { content: cutMarks(content), createdAt: moment(created_at), hiddenReason };
      return [{ id, postId: post_id, ...name, ...shown }];
    }),
    nextCursor,
  };
}
