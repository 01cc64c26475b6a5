import { type Kysely, sql } from 'kysely';
import type { Comment } from '../../contract/comments.ts';
import type { LiveEvents } from '../../contract/live.ts';
import { type PostAccess, postAccess } from '../access/posts.ts';
import type { Viewer } from '../access/viewer.ts';
import { type CommentRow, describeComment, selectComments } from '../comments/read.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';
import type { ReadDeps } from '../deps.ts';

type Place = Pick<CommentRow, 'id' | 'created_at'>;
type Known = {
  ids: Set<string>;
  newest: Place | undefined;
  likeCount: number;
};

/** What changed about a post since the last look; `added` newest first. */
export type PostChange = {
  added: CommentRow[];
  removed: string[];
  commentCount: number;
  likeCount: number;
};

/**
 * The comments of one post as its open readers know them. A look costs two queries however many readers there are, and
 * one more when a comment went.
 */
export class PostWatch {
  readonly postId: string;
  #known: Known = { ids: new Set(), newest: undefined, likeCount: 0 };

  constructor(postId: string) {
    this.postId = postId;
  }

  /** Learns how the post stands before the first reader hears of it. */
  async start(deps: ReadDeps): Promise<PostAccess | undefined> {
    const access = await postAccess(deps, this.postId);
    if (access === undefined) return undefined;
    const rows = await this.#identities(deps.db).execute();
    this.#known = { ids: new Set(rows.map(row => row.id)), newest: rows[0], likeCount: access.likeCount };
    return access;
  }

  /** How the post stands, for a reader who has just come. */
  get state(): LiveEvents['state'] {
    const { ids, newest, likeCount } = this.#known;
    return { postId: this.postId, commentCount: ids.size, likeCount, newestId: newest?.id ?? null };
  }

  /** What changed since the last look; undefined when nothing did. */
  async look({ db }: ReadDeps, access: PostAccess): Promise<PostChange | undefined> {
    const { ids, newest, likeCount } = this.#known;
    let query = selectComments(db)
      .where('comments.post_id', '=', this.postId)
      .orderBy('comments.created_at', 'desc')
      .orderBy('comments.id', 'desc');
    if (newest !== undefined) {
      query = query.where(eb =>
        eb(
          eb.refTuple('comments.created_at', 'comments.id'),
          '>',
          eb.tuple(eb.val(newest.created_at), newest.id),
        ),
      );
    }
    const added = (await query.execute()).filter(row => !ids.has(row.id));
    const removed: string[] = [];
    // One went, or one came that is dated before the newest, as when the clock was set back.
    if (ids.size + added.length !== access.commentCount) {
      const now = new Set((await this.#identities(db).execute()).map(row => row.id));
      removed.push(...[...ids].filter(id => !now.has(id)));
      const fresh = new Set(added.map(row => row.id));
      const missed = [...now].filter(id => !ids.has(id) && !fresh.has(id));
      if (missed.length > 0) {
        added.push(
          ...(await selectComments(db)
            .where(dialectOf(db).isOneOf(sql.ref('comments.id'), missed))
            .execute()),
        );
      }
    }
    if (added.length === 0 && removed.length === 0 && likeCount === access.likeCount) return undefined;
    for (const row of added) ids.add(row.id);
    for (const id of removed) ids.delete(id);
    const left = newest !== undefined && ids.has(newest.id) ? [newest, ...added] : added;
    this.#known = { ids, newest: left.toSorted(newestFirst)[0], likeCount: access.likeCount };
    if (this.#known.newest === undefined && ids.size > 0) {
      this.#known.newest = (await this.#identities(db).limit(1).execute())[0];
    }
    return { added, removed, commentCount: ids.size, likeCount: access.likeCount };
  }

  #identities(db: Kysely<Tables>) {
    return db
      .selectFrom('comments')
      .select(['id', 'created_at'])
      .where('post_id', '=', this.postId)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc');
  }
}

function newestFirst(a: Place, b: Place): number {
  return b.created_at - a.created_at || (a.id < b.id ? 1 : -1);
}

/** A change as a viewer is told it: only their own comments, or an admin's view of all, can be deleted. */
export function describeChange(
  postId: string,
  { added, removed, commentCount, likeCount }: PostChange,
  viewer: Viewer,
): LiveEvents['comments'] {
  const comments: Comment[] = added.map(row => describeComment(row, viewer));
  return { postId, added: comments, removed, commentCount, likeCount };
}
