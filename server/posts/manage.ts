import { sql } from 'kysely';
import { postsPerPage } from '../../contract/constants.ts';
import { moment } from '../../contract/date.ts';
import type { ManagedPost } from '../../contract/posts.ts';
import { cutAtWord } from '../../contract/text.ts';
import { authorshipOf, namesAuthor } from '../access/authorship.ts';
import { accountOf, type Viewer } from '../access/viewer.ts';
import { dialectOf } from '../db/dialect.ts';
import type { ReadDeps } from '../deps.ts';
import { authorColumn, excerptCharacters } from './describe.ts';
import { newestMatches } from './newest-matches.ts';

/** With at least so many matching posts, the list is read in order until a page is full. */
const manyMatches = 5_000;

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
  const { inList, matches, matchesEach, countMatches } = dialectOf(db);
  let listed = db.selectFrom('posts').orderBy('created_at', 'desc').orderBy('id', 'desc');
  if (viewer.role !== 'admin') listed = listed.where('author_id', '=', accountOf(viewer).id);
  if (filter !== 'all') listed = listed.where('published_at', filter === 'drafts' ? 'is' : 'is not', null);
  let ids = listed
    .select('id')
    .limit(postsPerPage + 1)
    .offset((page - 1) * postsPerPage);
  if (search.trim() !== '') {
    const newest = await newestMatches(listed, search, page * postsPerPage + 1);
    if (newest !== undefined) ids = ids.where(inList(sql.ref('id'), newest));
    else {
      const isCommon = (await countMatches(db, search, manyMatches)) === manyMatches;
      ids = ids.where((isCommon ? matchesEach : matches)(sql.ref('posts.id'), search));
    }
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
