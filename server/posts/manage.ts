import { type Kysely, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { pageExcerpt, postsPerPage } from '../../contract/constants.ts';
import type { ManagedPost } from '../../contract/posts.ts';
import { cutAtWord, unitsWithin, untitled } from '../../contract/text.ts';
import { catalogueOf } from '../access/audience.ts';
import type { ReadContext } from '../access/context.ts';
import { accountOf, type Viewer } from '../access/viewer.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';
import { searchWords } from '../db/words.ts';
import { describedColumns, otherAuthorColumn, summaryOf } from './describe.ts';
import { newestMatches } from './newest-matches.ts';

/** With at least so many matching posts, the list is read in order until a page is full. */
const manyMatches = 5_000;
/** In so many of the newest posts, each is looked up by itself, before all matches are collected. */
const walkedPosts = 2_000;

type ManagementRequest = { filter: 'all' | 'published' | 'drafts'; page: number; search: string };

/**
 * The list of those who manage posts: newest first by creation, with search by words. For admins all of them,
 * for an author their own; `authorize` has refused the others.
 */
export async function listManagedPosts(
  { db, catalogue }: ReadContext,
  viewer: Viewer,
  { filter, page, search }: ManagementRequest,
): Promise<{ posts: ManagedPost[]; hasNextPage: boolean }> {
  let all = db.selectFrom('posts').orderBy('created_at', 'desc').orderBy('id', 'desc');
  if (viewer.role !== 'admin') all = all.where('author_id', '=', accountOf(viewer).id);
  if (filter === 'drafts') all = all.where('published_at', 'is', null);
  const listed = filter === 'published' ? all.where('published_at', 'is not', null) : all;
  // An index alone tells which posts are drafts, while each post would be read to see that it was published.
  const walked = filter === 'published' ? all.where(isNoDraft) : all;
  const found =
    search.trim() === '' ? listed : await findPosts(db, { listed, walked }, searchWords(search), page);
  const ids = found
    .select('id')
    .limit(postsPerPage + 1)
    .offset((page - 1) * postsPerPage);
  // The texts of the page alone: PostgreSQL computes what it selects also for the rows that it passes over.
  const posts = db
    .selectFrom(ids.as('page'))
    .innerJoin('posts', 'posts.id', 'page.id')
    .select(describedColumns)
    .select(otherAuthorColumn(accountOf(viewer).id))
    .select(eb =>
      eb.fn<string>('substr', ['text', eb.lit(1), eb.lit(unitsWithin(pageExcerpt + 1) + 1)]).as('start'),
    )
    .orderBy('created_at', 'desc')
    .orderBy('posts.id', 'desc');
  const [rows, known] = await Promise.all([posts.execute(), catalogue()]);
  const tags = await catalogueOf(db, known, rows);
  return {
    posts: rows.slice(0, postsPerPage).map(row => ({
      ...summaryOf(row, tags),
      type: row.type,
      title: row.title,
      excerpt: row.description ?? (cutAtWord(row.start, pageExcerpt) || untitled),
    })),
    hasNextPage: rows.length > postsPerPage,
  };
}

const isNoDraft = sql<SqlBool>`posts.id not in (select id from posts where published_at is null)`;

type PostQuery = SelectQueryBuilder<Tables, 'posts', object>;

/**
 * The posts of a list that match the words of a term, as they are found soonest up to the end of a page: few
 * matches are collected and sorted; of many, the list is read in its order. `walked` is the same list, for
 * reading all of it.
 */
async function findPosts(
  db: Kysely<Tables>,
  { listed, walked }: { listed: PostQuery; walked: PostQuery },
  words: readonly string[],
  page: number,
): Promise<PostQuery> {
  // A term without letters and digits.
  if (words.length === 0) return listed.where(sql<SqlBool>`1 = 0`);
  const { countMatches, inList, matches, matchesInOrder } = dialectOf(db);
  const id = sql.ref('posts.id');
  const needed = page * postsPerPage + 1;
  const newest = await newestMatches(listed, words, needed);
  if (newest !== undefined) return listed.where(inList(id, newest));
  if ((await countMatches(db, words, manyMatches)) < manyMatches) return listed.where(matches(id, words));
  const found = await walkNewest(db, listed, words, needed);
  return found === undefined ? walked.where(matchesInOrder(id, words)) : listed.where(inList(id, found));
}

/** The newest matching posts, as many as are needed; undefined where the newest posts hold fewer. */
async function walkNewest(
  db: Kysely<Tables>,
  listed: PostQuery,
  words: readonly string[],
  needed: number,
): Promise<string[] | undefined> {
  const last = await listed
    .select('created_at')
    .offset(walkedPosts - 1)
    .limit(1)
    .executeTakeFirst();
  const found = await listed
    .select('id')
    .where('created_at', '>=', last?.created_at ?? 0)
    .where(dialectOf(db).matchesEach(sql.ref('posts.id'), words))
    .limit(needed)
    .execute();
  return last === undefined || found.length === needed ? found.map(row => row.id) : undefined;
}
