import { type SelectQueryBuilder, sql } from 'kysely';
import { postsPerPage } from '../../contract/constants.ts';
import { AppError } from '../../contract/errors.ts';
import type { ListedPost } from '../../contract/posts.ts';
import { isInSets, type TagCatalogue, type TagSet } from '../access/audience.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Changes } from '../db/changes.ts';
import { dialectOf } from '../db/dialect.ts';
import { Kept } from '../db/kept.ts';
import type { Tables } from '../db/tables.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { attachmentsOf, likedBy, listedColumns, listedFields } from './describe.ts';
import type { Describing } from './read.ts';

export type PostPage = { posts: ListedPost[]; hasNextPage: boolean; nextCursor: string | null };

type PageRequest = {
  /** From 1. */
  page: number;
  /** The cursor of an earlier page; beats `page`. */
  after?: string | null | undefined;
  /** Only posts that carry any of these tags; empty for all. */
  tags?: readonly string[];
};

/** What lists of posts are made from, as long as it stands. */
export type PostPages = {
  /** Pages of the timeline as all are shown them who may read the same posts: nothing of one viewer alone. */
  shared: Kept<PostPage & { size: number }>;
  /** Which posts of a page one viewer likes. */
  likes: Kept<{ ids: ReadonlySet<string>; size: number }>;
};

const maxSharedBytes = 24 * 1024 * 1024;
const maxLikesBytes = 4 * 1024 * 1024;

export function postPages(changes: Changes): PostPages {
  return {
    shared: new Kept(changes, ['posts', 'attachments', 'tags', 'tag_sets', 'tag_set_tags'], maxSharedBytes),
    likes: new Kept(changes, ['likes'], maxLikesBytes),
  };
}

/** A page of published posts, newest first by publication, ties broken by id (decisions.md 14). */
export async function listPosts(
  reading: Describing & { postPages: PostPages },
  viewer: Viewer,
  request: PageRequest,
): Promise<PostPage> {
  const { db, postPages } = reading;
  const catalogue = await reading.catalogue();
  const sets = carryingAny(catalogue, catalogue.readableSets(viewer), request.tags ?? []);
  // Who may read the same combinations is shown the same page. Their ids are the key, each of them: what a combination
  // holds never changes, and any change of a post drops the pages.
  const audience = idsOf(sets);
  const keyOf = (place: { after: string } | { page: number }) => `${JSON.stringify(place)} ${audience}`;
  const place = request.after ? { after: request.after } : { page: request.page };
  const page = await postPages.shared.get(keyOf(place), async () => {
    const before = request.after ? undefined : postPages.shared.known(keyOf({ page: request.page - 1 }));
    const made = await readTimeline(reading, sets, {
      ...request,
      after: request.after || before?.nextCursor,
    });
    return { ...made, size: 2 * JSON.stringify(made).length };
  });
  if (viewer.user === null) return page;
  const ids = page.posts.map(post => post.id);
  const liked = await postPages.likes.get(`${viewer.user.id} ${ids.join()}`, async () => {
    const likedIds = await likedBy(db, viewer, ids);
    return { ids: likedIds, size: 100 * likedIds.size };
  });
  return withLikes(page, liked.ids);
}

const idsOfSets = new WeakMap<readonly TagSet[], string>();
function idsOf(sets: readonly TagSet[]): string {
  const known = idsOfSets.get(sets);
  if (known !== undefined) return known;
  const ids = sets.map(set => set.id).join();
  idsOfSets.set(sets, ids);
  return ids;
}

async function readTimeline(
  reading: Describing,
  sets: readonly TagSet[],
  { page, after }: PageRequest,
): Promise<PostPage> {
  const { db } = reading;
  // Asked anew: names of tags may have changed since the combinations were chosen.
  const catalogue = await reading.catalogue();
  const offset = after ? 0 : (page - 1) * postsPerPage;
  const tagSetId = sql.ref<number>('posts.tag_set_id');
  // Walking the timeline skips what the viewer may not read, so it costs more the less of it they may; gathering
  // everything that they may read and sorting it costs more the more it is. The counts tell which is less work.
  const readable = sets.reduce((sum, set) => sum + catalogue.publishedIn(set.id), 0);
  // The counts are exact (docs/decisions/0003): a page beyond the last would walk or sort all posts to find none.
  if (!after && offset >= readable) return { posts: [], hasNextPage: false, nextCursor: null };
  const isWalk = readable * readable >= catalogue.publishedCount * (offset + postsPerPage);

  let ids = db
    .selectFrom('posts')
    .select(['posts.id', 'posts.published_at as sorted_at'])
    .where('posts.published_at', 'is not', null)
    .where(isInSets(db, isWalk ? dialectOf(db).unindexed(tagSetId) : tagSetId, sets))
    .orderBy('posts.published_at', 'desc')
    .orderBy('posts.id', 'desc')
    .limit(postsPerPage + 1);
  if (after) {
    const { sortedAt, id } = decodeCursor(after);
    ids = ids.where(eb =>
      eb(eb.refTuple('posts.published_at', 'posts.id'), '<', eb.tuple(eb.val<number | null>(sortedAt), id)),
    );
  } else {
    ids = ids.offset(offset);
  }
  return await readPage(reading, catalogue, ids);
}

/** The management list: drafts too, newest first by creation. For admins; `authorize` has refused the others. */
export async function listAllPosts(
  reading: Describing,
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
  const found = await readPage(reading, catalogue, page);
  const liked = await likedBy(
    db,
    viewer,
    found.posts.map(post => post.id),
  );
  return withLikes(found, liked);
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

/** Yields the ids of a page in order. */
type PageQuery = SelectQueryBuilder<Tables, 'posts', { id: string; sorted_at: number | null }>;

async function readPage(
  { db, config }: Describing,
  catalogue: TagCatalogue,
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
  const attachments = await attachmentsOf(
    db,
    rows.map(row => row.id),
  );
  const last = rows.at(-1);
  const hasNextPage = found.length > postsPerPage;
  return {
    posts: rows.map(row => {
      const common = listedFields(catalogue, row, attachments, new Set(), config.timeZone);
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

function withLikes({ posts, hasNextPage, nextCursor }: PostPage, liked: ReadonlySet<string>): PostPage {
  if (liked.size === 0) return { posts, hasNextPage, nextCursor };
  return {
    posts: posts.map(post => (liked.has(post.id) ? { ...post, isLiked: true } : post)),
    hasNextPage,
    nextCursor,
  };
}
