import { type Expression, type Kysely, type SqlBool, sql } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import { dialectOf } from '../db/dialect.ts';
import type { PostRow, Tables } from '../db/tables.ts';
import {
  catalogueOf,
  decideRead,
  isInSets,
  loadTagCatalogue,
  mayEdit,
  type ReadDecision,
  type Refusal,
  type TagCatalogue,
  type TagSet,
} from './audience.ts';
import type { ReadContext } from './context.ts';
import type { Viewer } from './viewer.ts';

/**
 * The gate to posts: code that asks about a post on a viewer's behalf calls this module, so a post that the
 * viewer may not read never leaves the database. Texts and titles of posts are selected for readers in
 * posts/read.ts and for the site's pages (`listSitePages`), by `readablePosts`; in posts/list.ts and
 * reading/titles.ts, by combinations of tags from the same rule; in posts/manage.ts, for admins all posts and
 * for authors their own; and in search/.
 */

/** The posts that the viewer may read, as the start of a query. */
export function readablePosts(db: Kysely<Tables>, catalogue: TagCatalogue, viewer: Viewer) {
  const posts = db.selectFrom('posts');
  if (viewer.role === 'admin') return posts;
  const isInReadable = isInSets(db, sql.ref('posts.tag_set_id'), catalogue.readableSets(viewer));
  return posts.where(eb => {
    const byTags = eb.and([isInReadable, eb('posts.published_at', 'is not', null)]);
    const own = viewer.role === 'author' ? viewer.user?.id : undefined;
    return own === undefined ? byTags : eb.or([byTags, eb('posts.author_id', '=', own)]);
  });
}

/**
 * The timeline posts that the viewer may read by their tags, as the start of a query. Read in the order of
 * publication, by an index that also holds the combinations of tags.
 */
export async function listedPosts({ db, catalogue }: ReadContext, viewer: Viewer) {
  return listedIn(db, (await catalogue()).readableSets(viewer));
}

/** The timeline posts of these combinations. */
export function listedIn(db: Kysely<Tables>, sets: readonly TagSet[]) {
  return publishedIn(db, sets).where('posts.shown_in', '=', 'timeline');
}

/** Like {@link listedPosts}, with the essays of the navigation and the footer. */
export async function publishedPosts({ db, catalogue }: ReadContext, viewer: Viewer) {
  return publishedIn(db, (await catalogue()).readableSets(viewer));
}

function publishedIn(db: Kysely<Tables>, sets: readonly TagSet[]) {
  const tagSetId = dialectOf(db).unindexed(sql.ref('posts.tag_set_id'));
  return db
    .selectFrom('posts')
    .where('posts.published_at', 'is not', null)
    .where(isInSets(db, tagSetId, sets));
}

/** The same condition on `entries` of the search index, which hold each post's combination and date. */
export function isReadableEntry(
  db: Kysely<Tables>,
  catalogue: TagCatalogue,
  viewer: Viewer,
): Expression<SqlBool> {
  if (viewer.role === 'admin') return sql<SqlBool>`1 = 1`;
  const isInReadable = isInSets(db, sql.ref('entries.tag_set_id'), catalogue.readableSets(viewer));
  const byTags = sql<SqlBool>`(${isInReadable} and entries.published_at is not null)`;
  const own = viewer.role === 'author' ? viewer.user?.id : undefined;
  return own === undefined ? byTags : sql<SqlBool>`(${byTags} or ${isOwnEntry(own)})`;
}

/** Whether an account wrote the post of an entry. */
export function isOwnEntry(userId: string): Expression<SqlBool> {
  return sql<SqlBool>`entries.post_id in (select id from posts where author_id = ${userId})`;
}

/**
 * The rule as a condition on another table that has a post's id in one column. It keeps pages of comments and
 * likes full, because no row has to be dropped afterwards.
 */
export async function isReadable(
  deps: ReadContext,
  viewer: Viewer,
  postId: Expression<string>,
): Promise<Expression<SqlBool>> {
  const posts = readablePosts(deps.db, await deps.catalogue(), viewer)
    .select('posts.id')
    .where('posts.id', '=', postId);
  return sql<SqlBool>`exists ${posts}`;
}

/**
 * Throws unless the viewer may read the post, and locks it until the transaction ends: not-found for a post
 * that does not exist or is somebody's draft, permission-denied for one that is not shared with the viewer
 * (decision 7). Returns its author.
 */
export async function lockReadable(deps: TransactionReads, viewer: Viewer, id: string): Promise<Authored> {
  const query = deps.db.selectFrom('posts').select(columnsOfRule).where('id', '=', id);
  const row = await dialectOf(deps.db).forUpdate(query).executeTakeFirst();
  if (row === undefined) throw refusalError('not-found');
  // While this transaction waited for the lock, another save may have given the post a new combination of
  // tags.
  if (!(await deps.catalogue()).has(row.tag_set_id)) await deps.loadTagsAgain();
  // Decided with the viewer's own tags, which the transaction has locked: the catalogue may still have
  // default tags that were removed.
  const { refusal: refused } = decideRead(viewer, viewer.tagIds, ruledPost(row, await deps.catalogue()));
  if (refused !== undefined) throw refusalError(refused);
  return row;
}

type Authored = Pick<PostRow, 'author_id'>;

/**
 * The dependencies of reads in a transaction; `loadTagsAgain` loads the tags as the transaction sees them
 * now.
 */
export type TransactionReads = ReadContext & { loadTagsAgain(): Promise<void> };

/**
 * The dependencies of a read in a transaction, with the tags loaded beforehand. Loading them inside the
 * transaction would take a second connection, and enough transactions at once would deadlock waiting for
 * connections.
 */
export async function readingIn({
  catalogue,
  settings,
}: Pick<ReadContext, 'catalogue' | 'settings'>): Promise<(trx: Kysely<Tables>) => TransactionReads> {
  const before = await catalogue();
  return trx => {
    let loaded = before;
    return {
      db: trx,
      catalogue: async () => loaded,
      settings: () => settings(trx),
      loadTagsAgain: async () => {
        loaded = await loadTagCatalogue(trx);
      },
    };
  };
}

/**
 * Throws unless the viewer may change the post, and locks it until the transaction ends. Throws as
 * {@link lockReadable} for a post that they may not read, and permission-denied for somebody else's.
 */
export async function lockEditable(deps: TransactionReads, viewer: Viewer, id: string): Promise<void> {
  requireAuthor(viewer, await lockReadable(deps, viewer, id));
}

/** Throws permission-denied unless the viewer may change a post of this author. */
export function requireAuthor(viewer: Viewer, row: Authored): void {
  if (mayEdit(viewer, row.author_id)) return;
  throw new AppError('permission-denied', 'Only its author or an admin may change this post.');
}

export type Counts = { likeCount: number; commentCount: number };

/** The counts of a post, and its author. Throws as {@link lockReadable} does. */
export async function getCounts(deps: ReadContext, viewer: Viewer, id: string): Promise<Counts & Authored> {
  const row = await readablePosts(deps.db, await deps.catalogue(), viewer)
    .select(['posts.like_count as likeCount', 'posts.comment_count as commentCount', 'posts.author_id'])
    .where('posts.id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw await refusal(deps, viewer, id);
  return row;
}

/** The counts of a post, and the rule to apply to each of its readers. */
export type PostAccess = Counts & { decide(viewer: Viewer): ReadDecision };

/**
 * The posts of this list that exist, for many viewers at once: live streams use one query for all changed
 * posts.
 */
export async function postAccesses(
  deps: ReadContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PostAccess>> {
  if (ids.length === 0) return new Map();
  const known = await deps.catalogue();
  const rows = await deps.db
    .selectFrom('posts')
    .select(['id', 'like_count', 'comment_count'])
    .select(columnsOfRule)
    .where(dialectOf(deps.db).inList(sql.ref('id'), ids))
    .execute();
  const catalogue = await catalogueOf(deps.db, known, rows);
  return new Map(
    rows.map(row => [
      row.id,
      {
        likeCount: row.like_count,
        commentCount: row.comment_count,
        decide: viewer => decideRead(viewer, catalogue.defaultTagIds, ruledPost(row, catalogue)),
      },
    ]),
  );
}

/**
 * Whether the viewer, and whether a visitor, may read any of these posts. It decides about a file that
 * several posts show.
 */
export async function accessToAny(
  deps: ReadContext,
  viewer: Viewer,
  ids: readonly string[],
): Promise<{ isReadable: boolean; isPublic: boolean }> {
  const decisions = [...(await postAccesses(deps, ids)).values()].map(post => post.decide(viewer));
  return {
    isReadable: decisions.some(decision => decision.refusal === undefined),
    isPublic: decisions.some(decision => decision.isPublic),
  };
}

/**
 * Why the viewer may not read a post that {@link readablePosts} did not find for them. It may have become
 * readable since: then the error is one after which programs ask again.
 */
export async function refusal(deps: ReadContext, viewer: Viewer, id: string): Promise<AppError> {
  const post = (await postAccesses(deps, [id])).get(id);
  if (post === undefined) return refusalError('not-found');
  const { refusal: reason } = post.decide(viewer);
  return reason === undefined
    ? new AppError('unavailable', 'This post has just been changed. Try again.')
    : refusalError(reason);
}

/** The reason of a refusal. Rethrows any other error, such as an outage. */
export function refusalOf(error: unknown): Refusal {
  const code = error instanceof AppError ? error.code : undefined;
  if (code === 'not-found' || code === 'permission-denied') return code;
  throw error;
}

/**
 * The result of `read`; undefined if the post does not exist or is not shared with the viewer. Throws as
 * {@link refusalOf}.
 */
export async function unlessRefused<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    refusalOf(error);
    return undefined;
  }
}

function refusalError(code: Refusal): AppError {
  return new AppError(code, code === 'not-found' ? 'Post not found' : 'This post is not shared with you.');
}

const columnsOfRule = ['tag_set_id', 'published_at', 'author_id'] as const;

/** The part of a post that the rule depends on. The catalogue must have the post's combination of tags. */
function ruledPost(row: Pick<PostRow, (typeof columnsOfRule)[number]>, catalogue: TagCatalogue) {
  return {
    isPublished: row.published_at !== null,
    tagIds: catalogue.tagIdsIn(row.tag_set_id),
    authorId: row.author_id,
  };
}
