import { type Expression, type Kysely, type SqlBool, sql } from 'kysely';
import { pageExcerpt, postsPerPage } from '../../contract/constants.ts';
import { formatDate, moment } from '../../contract/date.ts';
import { cutMarks } from '../../contract/marks.ts';
import type { Output } from '../../contract/operations.ts';
import { inAlphabeticalOrder, nameWithoutTitle, unitsWithin } from '../../contract/text.ts';
import { catalogueOf, isInSets, type TagCatalogue, withAnyTag } from '../access/audience.ts';
import type { ReadContext } from '../access/context.ts';
import { isOwnEntry } from '../access/posts.ts';
import { accountOf, type Viewer } from '../access/viewer.ts';
import { countRows } from '../db/count-rows.ts';
import { dialectOf } from '../db/dialect.ts';
import { naturalName } from '../db/natural-name.ts';
import type { Tables } from '../db/tables.ts';
import { allOf, findPosts, tagsIn } from '../search/find.ts';
import { searchWords } from '../search/words.ts';
import { describedColumns, otherAuthorColumn, summaryOf } from './describe.ts';

type ManagementRequest = {
  filter: 'all' | 'published' | 'drafts';
  page: number;
  search: string;
  type?: 'short' | 'essay' | null | undefined;
  tag?: string | null | undefined;
  authorId?: string | null | undefined;
};

/** Counting more matches of a search would take longer than finding them. */
const mostCounted = 200;

type FoundIds = { ids: string[]; total: number | null };

/**
 * The list for managing posts: newest first by creation, or those with the words of a search, best first.
 * Admins get all posts, authors their own; `authorize` has refused everybody else.
 */
export async function listManagedPosts(
  { db, catalogue, settings }: ReadContext,
  viewer: Viewer,
  request: ManagementRequest,
): Promise<Output<'listPosts'>> {
  const known = await catalogue();
  const asked = viewer.role === 'admin' ? request : { ...request, authorId: accountOf(viewer).id };
  const { ids, total } = await (request.search.trim() === ''
    ? idsOfPage(db, known, asked)
    : findIds(db, known, viewer, asked));
  // Texts are selected only for the page: PostgreSQL would also compute them for rows that it skips.
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
  const dates = await settings();
  return {
    posts: ids
      .slice(0, postsPerPage)
      .flatMap(id => byId.get(id) ?? [])
      .map(row => ({
        ...summaryOf(row, tags),
        type: row.type,
        title: row.title && cutMarks(row.title),
        excerpt: cutMarks(
          row.description ??
            nameWithoutTitle(row.start, pageExcerpt, formatDate(moment(row.published_at), dates)),
        ),
      })),
    hasNextPage: ids.length > postsPerPage,
    total,
    authors: viewer.role === 'admin' ? await listAuthors(db) : [],
    deletedTags: await listDeletedTags(db, known, viewer),
  };
}

async function listAuthors(db: Kysely<Tables>): Promise<Output<'listPosts'>['authors']> {
  return await db
    .selectFrom('users')
    .select(['id', 'display_username as username'])
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('posts').select('posts.id').whereRef('posts.author_id', '=', 'users.id')),
    )
    .orderBy(naturalName)
    .execute();
}

/** The names of deleted tags that posts of the list still carry. */
async function listDeletedTags(
  db: Kysely<Tables>,
  { sets, tags }: TagCatalogue,
  viewer: Viewer,
): Promise<string[]> {
  const isDeleted = (id: string) => tags.get(id)?.isListed === false;
  const candidates = sets.filter(set => set.tagIds.some(isDeleted));
  if (candidates.length === 0) return [];
  const isAdmin = viewer.role === 'admin';
  const posts = db.selectFrom('posts').select('tag_set_id').distinct();
  // The catalogue counts all published posts, so for an admin only drafts are read.
  const own = isAdmin
    ? posts.where('published_at', 'is', null)
    : posts.where('author_id', '=', accountOf(viewer).id);
  const rows = await own.where(isInSets(db, sql.ref('tag_set_id'), candidates)).execute();
  const carried = new Set(rows.map(row => row.tag_set_id));
  const ids = candidates
    .filter(({ id, publishedCount }) => carried.has(id) || (isAdmin && publishedCount > 0))
    .flatMap(set => set.tagIds.filter(isDeleted));
  return [...new Set(ids)].flatMap(id => tags.get(id)?.name ?? []).sort(inAlphabeticalOrder);
}

/** The ids of a page of the list, and one more if another page follows. */
async function idsOfPage(
  db: Kysely<Tables>,
  catalogue: TagCatalogue,
  { filter, page, type, tag, authorId }: ManagementRequest,
): Promise<FoundIds> {
  let listed = db.selectFrom('posts');
  if (authorId) listed = listed.where('author_id', '=', authorId);
  if (type) listed = listed.where('type', '=', type);
  if (tag) listed = listed.where(isInSets(db, sql.ref('tag_set_id'), setsWith(catalogue, tag)));
  if (filter !== 'all') listed = listed.where('published_at', filter === 'drafts' ? 'is' : 'is not', null);
  const total = await countRows(listed);
  const rows = await listed
    .select('id')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(postsPerPage + 1)
    .offset((page - 1) * postsPerPage)
    .execute();
  return { ids: rows.map(row => row.id), total };
}

const setsWith = (catalogue: TagCatalogue, tag: string) =>
  withAnyTag(catalogue.sets, [catalogue.tagIdOf(tag)]);

/** Like {@link idsOfPage}, for a search. */
async function findIds(
  db: Kysely<Tables>,
  catalogue: TagCatalogue,
  viewer: Viewer,
  { filter, page, search, type, tag, authorId }: ManagementRequest,
): Promise<FoundIds> {
  const conditions: Expression<SqlBool>[] = [];
  if (authorId) conditions.push(isOwnEntry(authorId));
  if (type) conditions.push(sql<SqlBool>`entries.type = ${type}`);
  if (tag) conditions.push(isInSets(db, sql.ref('entries.tag_set_id'), setsWith(catalogue, tag)));
  if (filter === 'drafts') conditions.push(sql<SqlBool>`entries.published_at is null`);
  if (filter === 'published') conditions.push(sql<SqlBool>`entries.published_at is not null`);
  const offset = (page - 1) * postsPerPage;
  const terms = { words: searchWords(search), tags: tagsIn(catalogue, catalogue.readableSets(viewer)) };
  const where = { condition: allOf(conditions), needed: Math.max(offset + postsPerPage, mostCounted) + 1 };
  const { ids: found } = await dialectOf(db).postSearch.reading(db, index => findPosts(index, terms, where));
  const total = found.length > mostCounted ? null : found.length;
  return { ids: found.slice(offset, offset + postsPerPage + 1), total };
}
