import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import { postsPerPage } from '../../contract/limits.ts';
import type { Attachment, ListedPost, ManagedPost, Post } from '../../contract/posts.ts';
import { firstCodePoints } from '../../contract/text.ts';
import { isInSets, type TagCatalogue, type TagSet } from '../access/audience.ts';
import type { Viewer } from '../access/viewer.ts';
import { dialectOf } from '../db/dialect.ts';
import type { PostRow, Tables } from '../db/tables.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';

/**
 * The only module that selects from posts. Every function takes the viewer, and a post that the viewer may not read
 * never leaves the database.
 */
export type Reading = { db: Kysely<Tables>; catalogue: () => Promise<TagCatalogue> };

export type PostPage = { posts: ListedPost[]; hasNextPage: boolean; nextCursor: string | null };

/** Enough for the description of a page in a search result. */
const excerptCharacters = 200;

type PageRequest = {
  /** From 1. */
  page: number;
  /** The cursor of an earlier page; beats `page`. */
  after?: string | null | undefined;
  /** Only posts that carry any of these tags; empty for all. */
  tags?: readonly string[];
};

/** A page of published posts, newest first by publication, ties broken by id (decisions.md 14). */
export async function listPosts(reading: Reading, viewer: Viewer, request: PageRequest): Promise<PostPage> {
  const { db } = reading;
  const catalogue = await reading.catalogue();
  const sets = carryingAny(catalogue, catalogue.readableSets(viewer), request.tags ?? []);
  const offset = request.after ? 0 : (request.page - 1) * postsPerPage;
  const tagSetId = sql.ref<number>('posts.tag_set_id');
  // Walking the timeline skips what the viewer may not read, so it costs more the less of it they may; gathering
  // everything that they may read and sorting it costs more the more it is. The counts tell which is less work.
  const readable = sets.reduce((sum, set) => sum + set.publishedCount, 0);
  const isWalk = readable * readable >= catalogue.publishedCount * (offset + postsPerPage);

  let page = db
    .selectFrom('posts')
    .select(['posts.id', 'posts.published_at as sorted_at'])
    .where('posts.published_at', 'is not', null)
    .where(isInSets(db, isWalk ? dialectOf(db).unindexed(tagSetId) : tagSetId, sets))
    .orderBy('posts.published_at', 'desc')
    .orderBy('posts.id', 'desc')
    .limit(postsPerPage + 1);
  if (request.after) {
    const { sortedAt, id } = decodeCursor(request.after);
    page = page.where(eb =>
      eb(eb.refTuple('posts.published_at', 'posts.id'), '<', eb.tuple(eb.val<number | null>(sortedAt), id)),
    );
  } else {
    page = page.offset(offset);
  }
  return await readPage(db, catalogue, viewer, page);
}

/** The management list: drafts too, newest first by creation. For admins; `authorize` has refused the others. */
export async function listAllPosts(
  reading: Reading,
  viewer: Viewer,
  request: PageRequest,
): Promise<PostPage> {
  if (viewer.role !== 'admin') throw new AppError('permission-denied', 'Only an admin may list drafts.');
  const { db } = reading;
  const catalogue = await reading.catalogue();
  let page = db
    .selectFrom('posts')
    .select(['posts.id', 'posts.created_at as sorted_at'])
    .orderBy('posts.created_at', 'desc')
    .orderBy('posts.id', 'desc')
    .limit(postsPerPage + 1);
  if (request.tags !== undefined && request.tags.length > 0) {
    page = page.where(
      isInSets(db, sql.ref('posts.tag_set_id'), carryingAny(catalogue, catalogue.sets, request.tags)),
    );
  }
  if (request.after) {
    const { sortedAt, id } = decodeCursor(request.after);
    page = page.where(eb =>
      eb(eb.refTuple('posts.created_at', 'posts.id'), '<', eb.tuple(eb.val(sortedAt), id)),
    );
  } else {
    page = page.offset((request.page - 1) * postsPerPage);
  }
  return await readPage(db, catalogue, viewer, page);
}

type ManagementRequest = { filter: 'all' | 'published' | 'drafts'; page: number; search: string };

/**
 * The list of those who manage posts: newest first by creation, with search by words. For admins; `authorize` has
 * refused the others.
 */
export async function listManagedPosts(
  { db, catalogue }: Reading,
  viewer: Viewer,
  { filter, page, search }: ManagementRequest,
): Promise<{ posts: ManagedPost[]; hasNextPage: boolean }> {
  if (viewer.role !== 'admin') throw new AppError('permission-denied', 'Only an admin may list drafts.');
  let query = db
    .selectFrom('posts')
    .select(['id', 'type', 'title', 'description', 'tag_set_id', 'like_count', 'comment_count'])
    .select(['created_at', 'updated_at', 'published_at'])
    .select(eb => eb.fn<string>('substr', ['text', eb.lit(1), eb.lit(excerptCharacters)]).as('excerpt'))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(postsPerPage + 1)
    .offset((page - 1) * postsPerPage);
  if (filter !== 'all') query = query.where('published_at', filter === 'drafts' ? 'is' : 'is not', null);
  if (search.trim() !== '') query = query.where(dialectOf(db).matches(sql.ref('posts.id'), search));
  const [rows, tags] = await Promise.all([query.execute(), catalogue()]);
  return {
    posts: rows.slice(0, postsPerPage).map(row => ({
      id: row.id,
      type: row.type,
      title: row.title,
      excerpt: row.description ?? row.excerpt,
      tags: tags.namesOf(row.tag_set_id),
      isDraft: row.published_at === null,
      likeCount: row.like_count,
      commentCount: row.comment_count,
      createdAt: moment(row.created_at),
      updatedAt: row.updated_at === null ? null : moment(row.updated_at),
      publishedAt: row.published_at === null ? null : moment(row.published_at),
    })),
    hasNextPage: rows.length > postsPerPage,
  };
}

/**
 * A post with its content. Throws not-found for one that does not exist or is somebody's draft, permission-denied for
 * one that is not shared with the viewer: the page answers the two differently (decisions.md 7).
 */
export async function getPost(reading: Reading, viewer: Viewer, id: string): Promise<Post> {
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
    ...listedFields(catalogue, row, attachments, liked),
    content: row.content,
    html: row.html,
    excerpt: firstCodePoints(row.text, excerptCharacters),
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
  const catalogue = await reading.catalogue();
  const row = await reading.db
    .selectFrom('posts')
    .select(['like_count', 'comment_count', 'tag_set_id', 'published_at'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
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

/** What a post is called where it is only mentioned: an essay by its title, a short post by its content. */
export type PostName = { title: string | null; content: string };

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
      eb.case().when('posts.type', '=', 'short').then(eb.ref('posts.content')).else('').end().as('content'),
    )
    .where(dialectOf(reading.db).isOneOf(sql.ref('posts.id'), ids))
    .execute();
  return new Map(rows.map(({ id, title, content }) => [id, { title, content }]));
}

/** Whether the site holds any post, drafts included. For the command line, which has no viewer. */
export async function hasPosts(db: Kysely<Tables>): Promise<boolean> {
  return (await db.selectFrom('posts').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** The number of drafts by their combination of tags. For admins' lists of tags. */
export async function countDraftsBySet(db: Kysely<Tables>): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('posts')
    .select(['tag_set_id', ({ fn }) => fn.countAll<number>().as('count')])
    .where('published_at', 'is', null)
    .groupBy('tag_set_id')
    .execute();
  return new Map(rows.map(row => [row.tag_set_id, row.count]));
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

function carryingAny(
  catalogue: TagCatalogue,
  sets: readonly TagSet[],
  names: readonly string[],
): readonly TagSet[] {
  if (names.length === 0) return sets;
  const wanted = new Set(names.map(name => catalogue.tagIdOf(name)));
  return sets.filter(set => set.tagIds.some(id => wanted.has(id)));
}

type PageQuery = ReturnType<typeof pageQueryType>;
// Never called: names the type of a query that yields the ids of a page in order.
function pageQueryType(db: Kysely<Tables>) {
  return db
    .selectFrom('posts')
    .select(['posts.id', 'posts.created_at as sorted_at'])
    .$castTo<{ id: string; sorted_at: number | null }>();
}

async function readPage(
  db: Kysely<Tables>,
  catalogue: TagCatalogue,
  viewer: Viewer,
  page: PageQuery,
): Promise<PostPage> {
  const found = await db
    .selectFrom(page.as('page'))
    .innerJoin('posts', 'posts.id', 'page.id')
    .select(listedColumns)
    .select('page.sorted_at')
    .orderBy('page.sorted_at', 'desc')
    .orderBy('page.id', 'desc')
    .execute();
  const rows = found.slice(0, postsPerPage);
  const ids = rows.map(row => row.id);
  const [attachments, liked] = await Promise.all([attachmentsOf(db, ids), likedBy(db, viewer, ids)]);
  const last = rows.at(-1);
  const hasNextPage = found.length > postsPerPage;
  return {
    posts: rows.map(row => {
      const common = listedFields(catalogue, row, attachments, liked);
      return row.type === 'essay'
        ? { ...common, type: 'essay', title: row.title ?? '', description: row.description ?? '' }
        : {
            ...common,
            type: 'short',
            title: null,
            description: null,
            content: row.content ?? '',
            html: row.html ?? '',
          };
    }),
    hasNextPage,
    nextCursor:
      hasNextPage && last !== undefined ? encodeCursor({ sortedAt: last.sorted_at ?? 0, id: last.id }) : null,
  };
}

/** An essay's text stays in the database: a listing shows its title and description. */
function listedColumns(eb: ExpressionBuilder<Tables, 'posts'>) {
  const ofShortPost = (column: 'posts.content' | 'posts.html') =>
    eb.case().when('posts.type', '=', 'short').then(eb.ref(column)).end();
  return [
    'posts.id',
    'posts.type',
    'posts.title',
    'posts.description',
    'posts.tag_set_id',
    'posts.author_id',
    'posts.published_at',
    'posts.created_at',
    'posts.updated_at',
    'posts.like_count',
    'posts.comment_count',
    ofShortPost('posts.content').as('content'),
    ofShortPost('posts.html').as('html'),
  ] as const;
}

type DescribedRow = Omit<PostRow, 'content' | 'html' | 'text' | 'version' | 'save_key'>;

function listedFields(
  catalogue: TagCatalogue,
  row: DescribedRow,
  attachments: ReadonlyMap<string, Attachment[]>,
  liked: ReadonlySet<string>,
) {
  return {
    id: row.id,
    tags: catalogue.namesOf(row.tag_set_id),
    isDraft: row.published_at === null,
    likeCount: row.like_count,
    commentCount: row.comment_count,
    isLiked: liked.has(row.id),
    authorId: row.author_id,
    createdAt: moment(row.created_at),
    updatedAt: row.updated_at === null ? null : moment(row.updated_at),
    publishedAt: row.published_at === null ? null : moment(row.published_at),
    attachments: attachments.get(row.id) ?? [],
  };
}

function moment(time: number): string {
  return new Date(time).toISOString();
}

async function attachmentsOf(
  db: Kysely<Tables>,
  postIds: readonly string[],
): Promise<Map<string, Attachment[]>> {
  const rows = await db
    .selectFrom('attachments')
    // The id in the address of a file of this site (files/read.ts, `fileAddress`); another address finds none.
    .leftJoin('files', join =>
      join.on(({ eb, fn, lit }) =>
        eb('files.id', '=', fn<string>('substr', ['attachments.url', lit('/files/'.length + 1), lit(16)])),
      ),
    )
    .select(['post_id', 'attachments.name', 'url', 'attachments.type', 'attachments.size', 'description'])
    .select(['thumbnail', 'width', 'height'])
    .where(dialectOf(db).isOneOf(sql.ref('post_id'), postIds))
    .orderBy('position')
    .execute();
  return Map.groupBy<string, Attachment & { post_id: string }>(rows, row => row.post_id);
}

async function likedBy(db: Kysely<Tables>, viewer: Viewer, postIds: readonly string[]): Promise<Set<string>> {
  if (viewer.user === null) return new Set();
  const rows = await db
    .selectFrom('likes')
    .select('post_id')
    .where('user_id', '=', viewer.user.id)
    .where(dialectOf(db).isOneOf(sql.ref('post_id'), postIds))
    .execute();
  return new Set(rows.map(row => row.post_id));
}
