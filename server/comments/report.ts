import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { CommentList } from '../../contract/comments.ts';
import { commentedPostExcerpt, reportsPerPage } from '../../contract/constants.ts';
import { moment } from '../../contract/date.ts';
import { AppError } from '../../contract/errors.ts';
import { cutMarks } from '../../contract/marks.ts';
import type { Output } from '../../contract/operations.ts';
import type { ReadContext } from '../access/context.ts';
import { readingIn } from '../access/posts.ts';
import { accountOf, type Viewer } from '../access/viewer.ts';
import { countRows } from '../db/count-rows.ts';
import { dialectOf } from '../db/dialect.ts';
import { pageOf, selectPage } from '../db/page.ts';
import type { Tables } from '../db/tables.ts';
import { inTransaction, type WriteContext } from '../db/transaction.ts';
import { postNames } from '../posts/read.ts';
import { lockComment } from './change.ts';
import { describeComment, selectComments } from './describe.ts';

/**
 * Reports somebody else's comment to the admins; a reader's second report replaces the message of their
 * first. Throws failed-precondition for one's own comment, and as reading the post does.
 */
export async function reportComment(
  context: WriteContext & ReadContext,
  viewer: Viewer,
  { commentId, word }: { commentId: string; word: string },
  countAgainstLimit: (trx: Kysely<Tables>) => Promise<void>,
): Promise<void> {
  const userId = accountOf(viewer).id;
  const within = await readingIn(context);
  await inTransaction(context, async trx => {
    await countAgainstLimit(trx);
    const comment = await lockComment(within, trx, viewer, commentId);
    if (comment.user_id === userId)
      throw new AppError('failed-precondition', 'You can delete your own comment.');
    const report = { word, created_at: context.clock() };
    await trx
      .insertInto('comment_reports')
      .values({ comment_id: commentId, user_id: userId, ...report })
      .onConflict(conflict => conflict.columns(['comment_id', 'user_id']).doUpdateSet(report))
      .execute();
  });
}

/**
 * A page of reported comments that wait for an admin's decision, of hidden comments, or of all, newest first.
 */
export async function listReportedComments(
  deps: ReadContext,
  viewer: Viewer,
  { list, after }: { list: CommentList; after?: string | null | undefined },
): Promise<Output<'listReportedComments'>> {
  const { rows, nextCursor } = pageOf(
    await selectPageOf(deps.db, list, after).execute(),
    reportsPerPage,
    row => ({ sortedBy: list === 'hidden' ? (row.hidden_at ?? 0) : row.created_at, id: row.id }),
  );
  const names = await postNames(
    deps,
    viewer,
    rows.map(row => row.post_id),
    commentedPostExcerpt,
  );
  const reports = await reportsOf(
    deps.db,
    rows.map(row => row.id),
  );
  return {
    comments: rows.flatMap(row => {
      const name = names.get(row.post_id);
      const comment = describeComment(row, viewer);
      if (name === undefined || comment === null) return [];
      return [{ postId: row.post_id, ...name, comment, reports: reports.get(row.id) ?? [] }];
    }),
    total: list === 'all' ? null : await countRows(commentsIn(deps.db, list)),
    nextCursor,
  };
}

function commentsIn(db: Kysely<Tables>, list: CommentList) {
  const all = selectComments(db).where('comments.is_deleted', '=', false);
  return {
    all,
    // Few comments are reported: SQLite finds them by their ids rather than reading all comments.
    reported: all.where('comments.id', 'in', db.selectFrom('comment_reports').select('comment_id')),
    hidden: all.where('comments.hidden_at', 'is not', null),
  }[list];
}

export function selectPageOf(db: Kysely<Tables>, list: CommentList, after: string | null | undefined) {
  return selectPage(commentsIn(db, list), {
    columns: [list === 'hidden' ? 'comments.hidden_at' : 'comments.created_at', 'comments.id'],
    direction: 'desc',
    after,
    limit: reportsPerPage,
  });
}

type Report = Output<'listReportedComments'>['comments'][number]['reports'][number];

async function reportsOf(
  db: Kysely<Tables>,
  commentIds: readonly string[],
): Promise<ReadonlyMap<string, Report[]>> {
  if (commentIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('comment_reports')
    .innerJoin('users', 'users.id', 'comment_reports.user_id')
    .select(['comment_id', 'display_username', 'word', 'comment_reports.created_at'])
    .where(dialectOf(db).inList(sql.ref('comment_id'), commentIds))
    .orderBy('comment_reports.created_at')
    .orderBy('user_id')
    .execute();
  const byComment = Map.groupBy(rows, row => row.comment_id);
  return new Map(
    [...byComment].map(([id, reports]) => [
      id,
      reports.map(({ display_username: username, word, created_at }) => ({
        username,
        word: cutMarks(word),
        createdAt: moment(created_at),
      })),
    ]),
  );
}
