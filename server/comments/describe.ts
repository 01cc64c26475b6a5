import { type InferResult, type Kysely, sql } from 'kysely';
import type { Comment } from '../../contract/comments.ts';
import { commentEditGraceMs } from '../../contract/constants.ts';
import { moment } from '../../contract/date.ts';
import { cutMarks } from '../../contract/marks.ts';
import { faceAt } from '../../contract/site-pictures.ts';
import { mayEdit } from '../access/audience.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Tables } from '../db/tables.ts';

/** The name on a comment whose author's account is deleted (specification section 3). */
const unknownUser = 'Unknown User';

/** The characters of some rows of `comments` together. */
export const charactersOfAll = sql<number>`coalesce(sum(length(comments.content)), 0)`;

/**
 * Whether a row of `comments` has an answer, hidden ones included. Not `exists`: for a page of a long list
 * PostgreSQL would collect the answers of the whole site first.
 */
export const isAnswered = sql<
  boolean | 0 | 1
>`((select 1 from comments as answers where answers.parent_id = comments.id limit 1) is not null)`;

/**
 * Who sees an answer to a deleted or hidden comment: `*` for everybody, else the writers of the hidden
 * answers, separated by spaces.
 */
const answersSeenBy = sql<
  string | null
>`case when comments.is_deleted or comments.hidden_at is not null then (
  select string_agg(case when answers.hidden_at is null then '*' else answers.user_id end, ' ')
  from comments as answers where answers.parent_id = comments.id) end`;

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
      'comments.parent_id',
      'comments.edited_at',
      'comments.is_deleted',
      'comments.hidden_at',
      'comments.hidden_reason',
      'users.display_username as username',
      'users.name as full_name',
      'users.image',
      'users.is_admin',
      'users.is_author',
      'users.status',
      'posts.author_id as post_author_id',
    ])
    .select([isAnswered.as('has_answers'), answersSeenBy.as('answers_seen_by')]);
}

export type CommentRow = InferResult<ReturnType<typeof selectComments>>[number];

/**
 * A comment as a viewer sees it: a placeholder if it is deleted, or hidden from this viewer; null if the
 * placeholder would have no answer that the viewer sees.
 */
export function describeComment(row: CommentRow, viewer: Viewer): Comment | null {
  const state = row.is_deleted ? 'deleted' : row.hidden_at !== null ? 'hidden' : 'shown';
  if (state === 'deleted' || (state === 'hidden' && !seesHidden(viewer, row)))
    return seesAnswer(viewer, row) ? placeholder(row, state) : null;
  const isOwn = viewer.user !== null && viewer.user.id === row.user_id;
  const isAdmin = viewer.role === 'admin';
  return {
    id: row.id,
    // It may be older than the bound of what is written.
    content: cutMarks(row.content),
    authorUsername: row.username ?? row.author_name ?? unknownUser,
    authorName: row.full_name ?? row.author_name ?? unknownUser,
    authorFace: faceAt(row.user_id, row.image),
    userId: row.user_id,
    authorRole: roleOf(row),
    createdAt: moment(row.created_at),
    parentId: row.parent_id,
    editedAt: isLateEdit(row) ? moment(row.edited_at) : null,
    state,
    hiddenReason: row.hidden_reason,
    can: {
      delete: mayDelete(viewer, row),
      edit: isOwn && state === 'shown' && viewer.role !== 'visitor' && !viewer.user?.isMuted,
      report: !isOwn && !isAdmin && viewer.role !== 'visitor',
      moderate: isAdmin,
    },
  };
}

/** Whether a viewer reads the text of a comment that is not deleted. */
export const seesText = (viewer: Viewer, row: CommentRow) =>
  row.hidden_at === null || seesHidden(viewer, row);

function seesAnswer({ role, user }: Viewer, row: CommentRow): boolean {
  if (role === 'admin') return Boolean(row.has_answers);
  const seers = answerersOf(row);
  return seers.includes('*') || (user !== null && seers.includes(user.id));
}

/** Who sees an answer to this comment while it is deleted or hidden; `*` is everybody. */
export function answerersOf({ answers_seen_by }: Pick<CommentRow, 'answers_seen_by'>): readonly string[] {
  return answers_seen_by?.split(' ') ?? [];
}

/** Reveals neither the author nor the text. */
function placeholder(row: CommentRow, state: 'deleted' | 'hidden'): Comment {
  return {
    id: row.id,
    content: '',
    authorUsername: unknownUser,
    authorName: unknownUser,
    authorFace: null,
    userId: null,
    authorRole: null,
    createdAt: moment(row.created_at),
    parentId: row.parent_id,
    editedAt: null,
    state,
    hiddenReason: null,
    can: { delete: false, edit: false, report: false, moderate: false },
  };
}

/** Whether the viewer sees only a placeholder. */
export function isPlaceholder({ state, content }: Comment): boolean {
  return state !== 'shown' && content === '';
}

/** Admins read a hidden comment, and so does its author, with the reason. */
function seesHidden(viewer: Viewer, { user_id }: Pick<CommentRow, 'user_id'>): boolean {
  return viewer.role === 'admin' || (viewer.user !== null && viewer.user.id === user_id);
}

const isLateEdit = ({ created_at, edited_at }: Pick<CommentRow, 'created_at' | 'edited_at'>) =>
  edited_at !== null && edited_at - created_at > commentEditGraceMs;

/**
 * The author's role, taken from the account, so that nobody can pose as the owner of the site by a chosen
 * name.
 */
function roleOf(row: CommentRow): Comment['authorRole'] {
  const { user_id, post_author_id, is_admin, is_author, status } = row;
  if (status !== 'approved' || !(is_admin || is_author)) return null;
  if (user_id === post_author_id) return 'author';
  return is_admin ? 'admin' : null;
}

/**
 * Who may delete a comment: its author, an admin (specification section 5), and the author of the post, who
 * is responsible for it.
 */
export function mayDelete(
  viewer: Viewer,
  { user_id, post_author_id }: Pick<CommentRow, 'user_id' | 'post_author_id'>,
): boolean {
  if (mayEdit(viewer, post_author_id)) return true;
  return viewer.role !== 'visitor' && viewer.user?.id === user_id;
}
