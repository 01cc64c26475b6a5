import { type SelectQueryBuilder, sql } from 'kysely';
import { postsPerPage } from '../../contract/constants.ts';
import { AppError } from '../../contract/errors.ts';
import { cutMarks } from '../../contract/marks.ts';
import type { Output } from '../../contract/operations.ts';
import type { ListedPost } from '../../contract/post.ts';
import { keysOfList, keysOfListedPost } from '../../contract/posts.ts';
import { untitled } from '../../contract/text.ts';
import {
  catalogueOf,
  idsOf,
  isInSets,
  type TagCatalogue,
  type TagSet,
  withAnyTag,
} from '../access/audience.ts';
import type { ReadContext } from '../access/context.ts';
import { readablePosts } from '../access/posts.ts';
import type { Viewer } from '../access/viewer.ts';
import { dialectOf } from '../db/dialect.ts';
import { pageOf, selectPage } from '../db/page.ts';
import type { Tables } from '../db/tables.ts';
import { shownHtml } from '../markdown/stored.ts';
import { SharedAnswer } from '../shared-answer.ts';
import { type CacheDeps, countsAndLikes, type ListedPosts } from './caches.ts';
import {
  attachmentsOf,
  bylineColumns,
  type ContentForm,
  contentFormFor,
  contentIn,
  describedColumns,
  fieldsForReaders,
  languagesOf,
  shortPostColumns,
} from './describe.ts';
import { previewColumns, previewOf } from './preview.ts';

type ListRequest = {
  /** From 1. */
  page: number;
  /** The cursor of an earlier page; if given, `page` is ignored. */
  after?: string | null | undefined;
  /** Only posts with any of these tags; empty for all. */
  tags?: readonly string[];
  /** Whether the answer includes the Markdown of short posts. */
  withContent?: boolean;
};

/**
 * A page of published posts: pinned ones first, then newest first by publication, ties broken by id
 * (decision 14). Shared by all viewers who may read the same.
 */
export async function listTimeline(
  deps: CacheDeps,
  viewer: Viewer,
  request: ListRequest,
): Promise<SharedAnswer<ListedPosts>> {
  const { postCaches } = deps;
  const catalogue = await deps.catalogue();
  const readable = catalogue.readableSets(viewer);
  const { tags = [] } = request;
  const sets =
    tags.length === 0
      ? readable
      : withAnyTag(
          readable,
          tags.map(name => catalogue.tagIdOf(name)),
        );
  // Viewers who may read the same combinations with a chosen tag see the same posts.
  const audience = idsOf(sets);
  const content = contentFormFor(viewer, request.withContent ?? false);
  // A chosen tag also finds the essays that are not in the timeline.
  const includesSitePages = tags.length > 0;
  const nameOf = (place: { after: string } | { page: number }) =>
    `${JSON.stringify(place)} ${content} ${includesSitePages} ${audience}`;
  const place = request.after ? { after: request.after } : { page: request.page };
  const list = await postCaches.lists.get(nameOf(place), async dependsOn => {
    dependsOn(...keysOfList());
    const before = request.after ? undefined : postCaches.lists.peek(nameOf({ page: request.page - 1 }));
    const made = await readTimeline(
      deps,
      sets,
      { content, includesSitePages },
      {
        ...request,
        after: request.after || before?.nextCursor,
      },
    );
    dependsOn(...made.posts.flatMap(keysOfListedPost));
    return made;
  });
  return new SharedAnswer(list, await countsAndLikes(deps, viewer, list.posts));
}

async function readTimeline(
  deps: CacheDeps,
  sets: readonly TagSet[],
  { content, includesSitePages }: { content: ContentForm; includesSitePages: boolean },
  { page, after }: ListRequest,
): Promise<ListedPosts> {
  const { db } = deps;
  // Loaded again, because names of tags may have changed since the combinations were chosen.
  const catalogue = await deps.catalogue();
  const offset = after ? 0 : (page - 1) * postsPerPage;
  // The counts (docs/decisions/0003) include the site's pages, too. Without this check, a page beyond the
  // last would read or sort all posts to find none.
  if (!after && offset >= countPublished(catalogue, sets)) {
    return { posts: [], hasNextPage: false, nextCursor: null };
  }
  const tagSetId = sql.ref<number>('posts.tag_set_id');
  const isWalk = isWalkCheaper(catalogue, sets, offset);
  const published = db
    .selectFrom('posts')
    .select(['posts.id', 'posts.published_at as sorted_at', 'posts.is_pinned as is_leading'])
    .where('posts.published_at', 'is not', null)
    .where(isInSets(db, isWalk ? dialectOf(db).unindexed(tagSetId) : tagSetId, sets))
    .$if(!includesSitePages, posts => posts.where('posts.shown_in', '=', 'timeline'));
  const columns = ['posts.published_at', 'posts.id'] as const;
  const leadingFlag = 'posts.is_pinned';
  const keyset = { leadingFlag, columns, direction: 'desc', after, limit: postsPerPage } as const;
  const ids = selectPage(published, keyset).offset(offset);
  return await describePage(deps, { catalogue, content, viewer: null }, ids);
}

/**
 * Whether reading the timeline in order is cheaper than sorting all readable posts. Reading in order skips
 * unreadable posts, so it costs more the less a viewer may read; sorting costs more the more they may read.
 * The counts tell which is cheaper.
 */
function isWalkCheaper(catalogue: TagCatalogue, sets: readonly TagSet[], offset: number): boolean {
  const readable = countPublished(catalogue, sets);
  return readable * readable >= catalogue.publishedCount * (offset + postsPerPage);
}

function countPublished(catalogue: TagCatalogue, sets: readonly TagSet[]): number {
  return sets.reduce((sum, set) => sum + catalogue.publishedIn(set.id), 0);
}

/**
 * The old list of all posts, drafts included, newest first by creation: `getPosts` with `isAdmin`, for
 * admins. The screen uses `listPosts` (manage.ts).
 */
export async function listAllPosts(
  deps: CacheDeps,
  viewer: Viewer,
  { page, after, tags = [], withContent = false }: ListRequest,
): Promise<SharedAnswer<ListedPosts>> {
  if (viewer.role !== 'admin') throw new AppError('permission-denied', 'Only an admin may list drafts.');
  const { db } = deps;
  const catalogue = await deps.catalogue();
  let posts = db
    .selectFrom('posts')
    .select(['posts.id', 'posts.created_at as sorted_at', sql<boolean>`false`.as('is_leading')]);
  if (tags.length > 0) {
    const sets = withAnyTag(
      catalogue.sets,
      tags.map(name => catalogue.tagIdOf(name)),
    );
    posts = posts.where(isInSets(db, sql.ref('posts.tag_set_id'), sets));
  }
  const columns = ['posts.created_at', 'posts.id'] as const;
  const ids = selectPage(posts, { columns, direction: 'desc', after, limit: postsPerPage });
  const content = contentFormFor(viewer, withContent);
  const found = await describePage(
    deps,
    { catalogue, content, viewer },
    ids.offset(after ? 0 : (page - 1) * postsPerPage),
  );
  return new SharedAnswer(found, await countsAndLikes(deps, viewer, found.posts));
}

/** Yields the ids of a page in order. */
type PageQuery = SelectQueryBuilder<
  Tables,
  'posts',
  { id: string; sorted_at: number | null; is_leading: boolean | 0 | 1 }
>;

/** `viewer` is null for a list that viewers share. */
type Listing = { catalogue: TagCatalogue; content: ContentForm; viewer: Viewer | null };

async function describePage(deps: ReadContext, listing: Listing, page: PageQuery): Promise<ListedPosts> {
  const { db } = deps;
  const settings = await deps.settings();
  const { content, viewer } = listing;
  const found = await db
    .selectFrom(page.as('page'))
    .innerJoin('posts', 'posts.id', 'page.id')
    .select(describedColumns)
    .select(shortPostColumns)
    .select(previewColumns(db))
    .select(bylineColumns)
    .select(['page.sorted_at', 'page.is_leading'])
    .orderBy('page.is_leading', 'desc')
    .orderBy('page.sorted_at', 'desc')
    .orderBy('page.id', 'desc')
    .execute();
  const { rows, nextCursor } = pageOf(found, postsPerPage, row => ({
    isLeading: Boolean(row.is_leading),
    sortedBy: row.sorted_at ?? 0,
    id: row.id,
  }));
  const attachments = await attachmentsOf(db, rows);
  if (attachments.size < rows.length) return await describePage(deps, listing, page);
  const catalogue = await catalogueOf(db, listing.catalogue, rows);
  return {
    posts: rows.map((row): ListedPost => {
      const common = fieldsForReaders(row, { catalogue, attachments, settings }, viewer);
      if (row.type === 'short') {
        const words = { title: null, description: null, html: shownHtml(row.html ?? '') };
        return { ...common, type: 'short', ...words, ...contentIn(content, row) };
      }
      const words = { title: cutMarks(row.title ?? ''), description: cutMarks(row.description ?? '') };
      return {
        ...common,
        type: 'essay',
        ...words,
        ...previewOf(row.pictures, row.characters, row.card_picture),
        ...languagesOf(words, row.html_start ?? ''),
      };
    }),
    hasNextPage: nextCursor !== null,
    nextCursor,
  };
}

/** More would fill the screen. */
const mostSitePages = 50;

/** The essays of the navigation and the footer that the viewer may read, oldest first; no drafts. */
export async function listSitePages(
  { db, catalogue }: ReadContext,
  viewer: Viewer,
): Promise<Output<'getPages'>['pages']> {
  const rows = await readablePosts(db, await catalogue(), viewer)
    .select(['posts.id', 'posts.title', 'posts.shown_in'])
    // As in the index, which contains only these.
    .where(sql<boolean>`posts.shown_in <> 'timeline'`)
    .where('posts.published_at', 'is not', null)
    // Not by the date of publication: an author could put fifty dated pages before those of others.
    .orderBy('posts.created_at')
    .orderBy('posts.id')
    .limit(mostSitePages)
    .execute();
  return rows.map(({ id, title, shown_in }) => ({
    postId: id,
    title: cutMarks(title ?? untitled),
    shownIn: shown_in,
  }));
}
