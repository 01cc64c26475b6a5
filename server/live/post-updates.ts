import { type Kysely, sql } from 'kysely';
import { moment } from '../../contract/date.ts';
import type { LiveEvents } from '../../contract/live.ts';
import type { ReadContext } from '../access/context.ts';
import { type PostAccess, postAccesses } from '../access/posts.ts';
import type { Viewer } from '../access/viewer.ts';
import {
  answerersOf,
  type CommentRow,
  describeComment,
  isPlaceholder,
  selectComments,
} from '../comments/describe.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';
import { type CommentsState, noComments, statesOf } from '../posts/comments-state.ts';
import { sseEvent } from './reader.ts';
import type { Bytes } from './sink.ts';

/** The state of a post, and its written and deleted comments; `written` newest first. */
export type PostUpdate = {
  access: PostAccess;
  /** Whether any follower may read it. If nobody may, its comments were not queried. */
  hasReader: boolean;
  comments: CommentsState;
  written: CommentRow[];
  removed: string[];
};

/**
 * The updates of posts, by post; none for a deleted one. `changed` has the written or deleted comments of
 * each post, `hasReader` says whether somebody may read them. Three queries for any number of posts and
 * readers.
 */
export async function readUpdates(
  deps: ReadContext,
  changed: ReadonlyMap<string, ReadonlySet<string>>,
  hasReader: (postId: string, access: PostAccess) => boolean,
): Promise<ReadonlyMap<string, PostUpdate>> {
  const accesses = await postAccesses(deps, [...changed.keys()]);
  const idsWithReader = new Set(
    [...accesses].filter(([id, access]) => hasReader(id, access)).map(([id]) => id),
  );
  const commentIds = [...changed].flatMap(([id, ids]) => (idsWithReader.has(id) ? [...ids] : []));
  const [states, rows] = await Promise.all([
    statesOf(deps, [...idsWithReader]),
    commentsById(deps.db, commentIds),
  ]);
  const byPost = Map.groupBy(rows, row => row.post_id);
  const updates = new Map<string, PostUpdate>();
  for (const [postId, access] of accesses) {
    const written = byPost.get(postId) ?? [];
    const here = new Set(written.map(row => row.id));
    const removed = [...(changed.get(postId) ?? [])].filter(id => !here.has(id));
    const comments = states.get(postId) ?? noComments;
    updates.set(postId, { access, hasReader: idsWithReader.has(postId), comments, written, removed });
  }
  return updates;
}

async function commentsById(db: Kysely<Tables>, ids: readonly string[]): Promise<CommentRow[]> {
  if (ids.length === 0) return [];
  return await selectComments(db)
    .where(dialectOf(db).inList(sql.ref('comments.id'), ids))
    .orderBy('comments.created_at', 'desc')
    .orderBy('comments.id', 'desc')
    .execute();
}

/** The first event about a post for a new reader, by which the page knows whether it has missed anything. */
export function describeState(
  postId: string,
  { access, comments: { version, closedAt } }: PostUpdate,
): LiveEvents['state'] {
  const { commentCount, likeCount } = access;
  return { postId, commentCount, likeCount, version, closedAt: moment(closedAt) };
}

/**
 * The events for each reader of a post, made once for all who get the same. Readers differ in what they may
 * do with comments (their own, those on their posts, or, as admins, all), and in placeholders that exist only
 * because of their own answers.
 */
export function commentEvents(postId: string, update: PostUpdate): (viewer: Viewer) => Bytes {
  const { written, removed } = update;
  const authors = new Set(written.flatMap(row => [row.user_id, row.post_author_id, ...answerersOf(row)]));
  const events = new Map<string, Bytes>();
  return viewer => {
    const { role, user } = viewer;
    const isAmong = user !== null && authors.has(user.id);
    const kind = `${role === 'admin' ? role : ''} ${isAmong ? user.id : ''}`;
    const known = events.get(kind);
    if (known !== undefined) return known;
    const added = written.flatMap(row => describeComment(row, viewer) ?? []);
    const read = new Set(added.filter(comment => !isPlaceholder(comment)).map(comment => comment.id));
    const unreadable = written.map(row => row.id).filter(id => !read.has(id));
    const made = sseEvent('comments', {
      ...describeState(postId, update),
      added,
      removed: [...removed, ...unreadable],
    });
    events.set(kind, made);
    return made;
  };
}
