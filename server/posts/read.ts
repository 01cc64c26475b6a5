import { type Expression, type Kysely, type SqlBool, sql } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import type { Post } from '../../contract/posts.ts';
import { cutAtWord } from '../../contract/text.ts';
import { isInSets, loadTagCatalogue, type TagCatalogue } from '../access/audience.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Config } from '../config.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';
import { attachmentsOf, excerptCharacters, likedBy, listedFields } from './describe.ts';

/**
 * One post, and what others ask of it. This module, list.ts and manage.ts are the only ones that select from posts for
 * somebody to read. A post that the viewer may not read never leaves the database: every function that answers with
 * anything of it takes the viewer, or (`getAudience`) answers with the question to ask for each.
 */
export type Reading = { db: Kysely<Tables>; catalogue: () => Promise<TagCatalogue> };

/** What a post is described from as well: its date is written in the site's time zone. */
export type Describing = Reading & { config: Pick<Config, 'timeZone'> };

/**
 * A post with its content. Throws not-found for one that does not exist or is somebody's draft, permission-denied for
 * one that is not shared with the viewer: the page answers the two differently (decisions.md 7).
 */
export async function getPost(reading: Describing, viewer: Viewer, id: string): Promise<Post> {
  const catalogue = await reading.catalogue();
  const row = await readablePosts(reading.db, catalogue, viewer)
    .selectAll('posts')
    .where('posts.id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw await whyNot(reading.db, id);
  const [attachments, liked] = await Promise.all([
    attachmentsOf(reading.db, [id]),
    likedBy(reading.db, viewer, [id]),
  ]);
  const common = {
    ...listedFields(catalogue, row, attachments, liked, reading.config.timeZone),
    content: row.content,
    html: row.html,
    excerpt: cutAtWord(row.text, excerptCharacters),
    version: row.version,
  };
  return row.type === 'essay'
    ? { ...common, type: 'essay', title: row.title ?? '', description: row.description ?? '' }
    : { ...common, type: 'short', title: null, description: null };
}

/** The words of a post, for a mail about it. Throws as `getPost` does. */
export async function textOfPost(reading: Reading, viewer: Viewer, id: string): Promise<string> {
  const row = await readablePosts(reading.db, await reading.catalogue(), viewer)
    .select('posts.text')
    .where('posts.id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw await whyNot(reading.db, id);
  return row.text;
}

/**
 * A reading for use within a transaction: its tags are loaded before. Loading them there would need a second connection
 * while holding one, and enough who do that at once wait for each other.
 */
export async function readingIn({
  catalogue,
}: Pick<Reading, 'catalogue'>): Promise<(trx: Kysely<Tables>) => Reading> {
  const loaded = await catalogue();
  return trx => ({ db: trx, catalogue: async () => loaded });
}

/**
 * Throws as `getPost` does unless the viewer may read the post, and keeps it as it is until the transaction ends. For
 * likes, comments and files, which ask their post.
 */
export async function lockReadable(reading: Reading, viewer: Viewer, id: string): Promise<void> {
  const query = readablePosts(reading.db, await reading.catalogue(), viewer)
    .select('posts.id')
    .where('posts.id', '=', id);
  const row = await dialectOf(reading.db).locked(query).executeTakeFirst();
  if (row === undefined) throw await whyNot(reading.db, id);
}

export type Counts = { likeCount: number; commentCount: number };

/** What readers made of a post. Throws as `getPost` does. For comments, which ask their post. */
export async function getCounts(reading: Reading, viewer: Viewer, id: string): Promise<Counts> {
  const row = await readablePosts(reading.db, await reading.catalogue(), viewer)
    .select(['posts.like_count', 'posts.comment_count'])
    .where('posts.id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw await whyNot(reading.db, id);
  return { likeCount: row.like_count, commentCount: row.comment_count };
}

/** Why a viewer may not read a post. */
export type Refusal = 'not-found' | 'permission-denied';

/**
 * A post for many viewers at once: its counts, and the rule to ask for each of them. Undefined when there is no such
 * post. For live streams, which ask one query a post, not one a reader.
 */
export async function getAudience(
  reading: Reading,
  id: string,
): Promise<(Counts & { refusalOf(viewer: Viewer): Refusal | undefined }) | undefined> {
  const known = await reading.catalogue();
  const row = await reading.db
    .selectFrom('posts')
    .select(['like_count', 'comment_count', 'tag_set_id', 'published_at'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  // A combination that came between the two would look like one that nobody may read, and a stream does not ask again.
  const catalogue = known.has(row.tag_set_id) ? known : await loadTagCatalogue(reading.db);
  return {
    likeCount: row.like_count,
    commentCount: row.comment_count,
    refusalOf: viewer => {
      if (viewer.role !== 'admin' && row.published_at === null) return 'not-found';
      return catalogue.readableSets(viewer).some(set => set.id === row.tag_set_id)
        ? undefined
        : 'permission-denied';
    },
  };
}

/** Whether the viewer may read any of these posts: what a file asks that several may carry. */
export async function mayReadAny(reading: Reading, viewer: Viewer, ids: readonly string[]): Promise<boolean> {
  if (ids.length === 0) return false;
  const row = await readablePosts(reading.db, await reading.catalogue(), viewer)
    .select('posts.id')
    .where(dialectOf(reading.db).isOneOf(sql.ref('posts.id'), ids))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Whether the viewer may read the post whose id a column of another table holds: the rule as a condition on that
 * table's rows, so that what hangs on a post can be listed in pages without gaps.
 */
export async function isReadable(
  reading: Reading,
  viewer: Viewer,
  postId: Expression<string>,
): Promise<Expression<SqlBool>> {
  const posts = readablePosts(reading.db, await reading.catalogue(), viewer)
    .select('posts.id')
    .where('posts.id', '=', postId);
  return sql<SqlBool>`exists ${posts}`;
}

/** What a post is called where it is only mentioned: an essay by its title, a short post by its words. */
export type PostName = { title: string | null; words: string };

/** The names of those among these posts that the viewer may read, by id. */
export async function postNames(
  reading: Reading,
  viewer: Viewer,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PostName>> {
  if (ids.length === 0) return new Map();
  const rows = await readablePosts(reading.db, await reading.catalogue(), viewer)
    .select(['posts.id', 'posts.title'])
    // An essay's text can be a book, and its title is what is shown.
    .select(eb =>
      eb.case().when('posts.type', '=', 'short').then(eb.ref('posts.text')).else('').end().as('words'),
    )
    .where(dialectOf(reading.db).isOneOf(sql.ref('posts.id'), ids))
    .execute();
  return new Map(rows.map(({ id, title, words }) => [id, { title, words }]));
}

/** Whether the site holds any post, drafts included. For the command line, which has no viewer. */
export async function hasPosts(db: Kysely<Tables>): Promise<boolean> {
  return (await db.selectFrom('posts').select('id').limit(1).executeTakeFirst()) !== undefined;
}

function readablePosts(db: Kysely<Tables>, catalogue: TagCatalogue, viewer: Viewer) {
  const query = db
    .selectFrom('posts')
    .where(isInSets(db, sql.ref('posts.tag_set_id'), catalogue.readableSets(viewer)));
  return viewer.role === 'admin' ? query : query.where('posts.published_at', 'is not', null);
}

async function whyNot(db: Kysely<Tables>, id: string): Promise<AppError> {
  const published = await db
    .selectFrom('posts')
    .select('id')
    .where('id', '=', id)
    .where('published_at', 'is not', null)
    .executeTakeFirst();
  return published === undefined
    ? new AppError('not-found', 'Post not found')
    : new AppError('permission-denied', 'This post is not shared with you.');
}
