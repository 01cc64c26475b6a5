import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import { postsPerPage } from '../../contract/constants.ts';
import { moment } from '../../contract/date.ts';
import type { ManagedPost } from '../../contract/posts.ts';
import { cutAtWord } from '../../contract/text.ts';
import { authorshipOf, namesAuthor } from '../access/authorship.ts';
import { accountOf, type Viewer } from '../access/viewer.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';
import type { ReadDeps } from '../deps.ts';
import { authorColumn, excerptCharacters } from './describe.ts';
import { newestMatches } from './newest-matches.ts';

/** With at least so many matching posts, the list is read in order until a page is full. */
const manyMatches = 5_000;
/** So many posts at most: what many posts of long ago hold may be in none since. */
const walkedPosts = 2_000;

type ManagementRequest = { filter: 'all' | 'published' | 'drafts'; page: number; search: string };

/**
 * The list of those who manage posts: newest first by creation, with search by words. For admins all of them, for an author
 * their own; `authorize` has refused the others.
 */
export async function listManagedPosts(
  { db, catalogue }: ReadDeps,
  viewer: Viewer,
  { filter, page, search }: ManagementRequest,
): Promise<{ posts: ManagedPost[]; hasNextPage: boolean }> {
  const { inList, matches } = dialectOf(db);
  let listed = db.selectFrom('posts').orderBy('created_at', 'desc').orderBy('id', 'desc');
  if (viewer.role !== 'admin') listed = listed.where('author_id', '=', accountOf(viewer).id);
  if (filter !== 'all') listed = listed.where('published_at', filter === 'drafts' ? 'is' : 'is not', null);
  let ids = listed
    .select('id')
    .limit(postsPerPage + 1)
    .offset((page - 1) * postsPerPage);
  if (search.trim() !== '') {
    const found =
      (await newestMatches(listed, search, page * postsPerPage + 1)) ??
      (await commonMatches(db, listed, search, page));
    ids = ids.where(
      found === undefined ? matches(sql.ref('posts.id'), search) : inList(sql.ref('id'), found),
    );
  }
  // The texts of the page alone: PostgreSQL computes what it selects also for the rows that it passes over.
  const posts = db
    .selectFrom(ids.as('page'))
    .innerJoin('posts', 'posts.id', 'page.id')
    .select(['posts.id', 'type', 'title', 'description', 'tag_set_id', 'like_count', 'comment_count'])
    .select(['created_at', 'updated_at', 'published_at', 'author_id'])
    .select(authorColumn)
    .select(eb => eb.fn<string>('substr', ['text', eb.lit(1), eb.lit(excerptCharacters + 1)]).as('start'))
    .orderBy('created_at', 'desc')
    .orderBy('posts.id', 'desc');
  const [rows, tags] = await Promise.all([posts.execute(), catalogue()]);
  const authorship = authorshipOf(tags.sets);
  return {
    posts: rows.slice(0, postsPerPage).map(row => ({
      id: row.id,
      type: row.type,
      title: row.title,
      excerpt: row.description ?? cutAtWord(row.start, excerptCharacters),
      tags: tags.namesOf(row.tag_set_id),
      isDraft: row.published_at === null,
      likeCount: row.like_count,
      commentCount: row.comment_count,
      authorUsername:
        viewer.role === 'admin' && namesAuthor(authorship, row.author_id) ? row.author_username : null,
      createdAt: moment(row.created_at),
      updatedAt: moment(row.updated_at),
      publishedAt: moment(row.published_at),
    })),
    hasNextPage: rows.length > postsPerPage,
  };
}

/**
 * The matching posts up to the end of a page and one more, for a term that many posts match: read in the order of the list, post by post.
 * Undefined for other terms, and where the newest posts hold too few.
 */
async function commonMatches(
  db: Kysely<Tables>,
  listed: SelectQueryBuilder<Tables, 'posts', object>,
  search: string,
  page: number,
): Promise<string[] | undefined> {
  const { countMatches, matchesEach } = dialectOf(db);
  if ((await countMatches(db, search, manyMatches)) < manyMatches) return undefined;
  const last = await listed
    .select('created_at')
    .offset(walkedPosts - 1)
    .limit(1)
    .executeTakeFirst();
  const needed = page * postsPerPage + 1;
  const found = await listed
    .select('id')
    .where('created_at', '>=', last?.created_at ?? 0)
    .where(matchesEach(sql.ref('posts.id'), search))
    .limit(needed)
    .execute();
  return last === undefined || found.length === needed ? found.map(row => row.id) : undefined;
}
