import { type Expression, type Kysely, type SqlBool, sql } from 'kysely';
import { pageExcerpt, postsPerPage } from '../../contract/constants.ts';
import type { ManagedPost } from '../../contract/posts.ts';
import { cutAtWord, unitsWithin, untitled } from '../../contract/text.ts';
import { catalogueOf, type TagCatalogue } from '../access/audience.ts';
import type { ReadContext } from '../access/context.ts';
import { isOwnEntry } from '../access/posts.ts';
import { accountOf, type Viewer } from '../access/viewer.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';
import { allOf, findPosts, tagsIn } from '../search/find.ts';
import { searchWords } from '../search/words.ts';
import { describedColumns, otherAuthorColumn, summaryOf } from './describe.ts';

type ManagementRequest = { filter: 'all' | 'published' | 'drafts'; page: number; search: string };

/**
 * The list of those who manage posts: newest first by creation, or those that hold the words of a term, best
 * first. For admins all of them, for an author their own; `authorize` has refused the others.
 */
export async function listManagedPosts(
  { db, catalogue }: ReadContext,
  viewer: Viewer,
  request: ManagementRequest,
): Promise<{ posts: ManagedPost[]; hasNextPage: boolean }> {
  const known = await catalogue();
  const ids = await (request.search.trim() === ''
    ? idsOfPage(db, viewer, request)
    : findIds(db, known, viewer, request));
  // The texts of the page alone: PostgreSQL computes what it selects also for the rows that it passes over.
  const rows = await db
    .selectFrom('posts')
    .select(describedColumns)
    .select(otherAuthorColumn(accountOf(viewer).id))
    .select(eb =>
      eb.fn<string>('substr', ['text', eb.lit(1), eb.lit(unitsWithin(pageExcerpt + 1) + 1)]).as('start'),
    )
    .where(dialectOf(db).inList(sql.ref('posts.id'), ids))
    .execute();
  const byId = new Map(rows.map(row => [row.id, row]));
  const tags = await catalogueOf(db, known, rows);
  return {
    posts: ids
      .slice(0, postsPerPage)
      .flatMap(id => byId.get(id) ?? [])
      .map(row => ({
        ...summaryOf(row, tags),
        type: row.type,
        title: row.title,
        excerpt: row.description ?? (cutAtWord(row.start, pageExcerpt) || untitled),
      })),
    hasNextPage: ids.length > postsPerPage,
  };
}

/** The ids of a page of the list, and one more where another page follows. */
async function idsOfPage(
  db: Kysely<Tables>,
  viewer: Viewer,
  { filter, page }: ManagementRequest,
): Promise<string[]> {
  let listed = db.selectFrom('posts').select('id').orderBy('created_at', 'desc').orderBy('id', 'desc');
  if (viewer.role !== 'admin') listed = listed.where('author_id', '=', accountOf(viewer).id);
  if (filter !== 'all') listed = listed.where('published_at', filter === 'drafts' ? 'is' : 'is not', null);
  const rows = await listed
    .limit(postsPerPage + 1)
    .offset((page - 1) * postsPerPage)
    .execute();
  return rows.map(row => row.id);
}

/** As {@link idsOfPage}, of the posts that are found. */
async function findIds(
  db: Kysely<Tables>,
  catalogue: TagCatalogue,
  viewer: Viewer,
  { filter, page, search }: ManagementRequest,
): Promise<string[]> {
  const conditions: Expression<SqlBool>[] = [];
  if (viewer.role !== 'admin') conditions.push(isOwnEntry(accountOf(viewer).id));
  if (filter === 'drafts') conditions.push(sql<SqlBool>`entries.published_at is null`);
  if (filter === 'published') conditions.push(sql<SqlBool>`entries.published_at is not null`);
  const offset = (page - 1) * postsPerPage;
  const found = await findPosts(
    db,
    { words: searchWords(search), tags: tagsIn(catalogue, catalogue.readableSets(viewer)) },
    { condition: allOf(conditions), needed: offset + postsPerPage + 1 },
  );
  return found.slice(offset);
}
