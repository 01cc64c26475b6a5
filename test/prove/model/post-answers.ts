import type { ListedPost } from '../../../contract/post.ts';
import type { Expectation } from './act.ts';
import { countedComments } from './comment-acts.ts';
import { AnyOrder } from './lists.ts';
import { newestFirst } from './post-acts.ts';
import { refusalOfPost } from './post-refusals.ts';
import { bylineOf, faceOf, mayEdit, mayReadByTags, readablePosts, type Viewer } from './rule.ts';
import { existing, type Post, tagWord, type World } from './world.ts';

/**
 * The posts of the timeline that a viewer may read, or all published ones that carry any of the tags: pinned
 * ones first, then newest first (decisions 2 and 14).
 */
export function timeline(world: World, viewer: Viewer, tags: readonly string[] = []): Post[] {
  const posts =
    tags.length === 0
      ? newestPosts(world, viewer)
      : publishedPosts(world, viewer).filter(post => carriesAny(post, tags));
  return [...posts.filter(post => post.isPinned), ...posts.filter(post => !post.isPinned)];
}

/** The posts of the timeline that a viewer may read, newest first. */
export function newestPosts(world: World, viewer: Viewer): Post[] {
  return publishedPosts(world, viewer).filter(post => post.shownIn === undefined);
}

/**
 * The essays of the navigation or the footer, by when they were written, the oldest first; of an author their
 * own, whatever their tags.
 */
export function pagesAnswer(world: World, viewer: Viewer): Expectation {
  const pages = sorted(readablePosts(world, viewer))
    .filter(post => post.shownIn !== undefined)
    .sort((a, b) => newestFirst([b.createdAt, b.id], [a.createdAt, a.id]))
    .map(({ id, title, shownIn }) => ({ postId: id, title, shownIn }));
  return { result: { pages } };
}

/** The published posts that a viewer may read, newest first. */
export function publishedPosts(world: World, viewer: Viewer): Post[] {
  return sorted(existing(world.posts).filter(post => mayReadByTags(viewer, post)));
}

/** The published ones of these posts, newest first. */
function sorted(posts: readonly Post[]): Post[] {
  return posts
    .filter(post => post.publishedAt !== null)
    .sort((a, b) => newestFirst([a.publishedAt ?? '', a.id], [b.publishedAt ?? '', b.id]));
}

/** The archive without a year: the posts of each year and month of UTC, and the titles of the newest year. */
export function archiveAnswer(world: World, viewer: Viewer): Expectation {
  const posts = newestPosts(world, viewer);
  const yearOf = ({ publishedAt }: Post) => Number(publishedAt?.slice(0, 4));
  const monthOf = ({ publishedAt }: Post) => Number(publishedAt?.slice(5, 7));
  const ofYear = posts.filter(post => yearOf(post) === Number(posts[0]?.publishedAt?.slice(0, 4)));
  const years = [...Map.groupBy(posts, yearOf)].map(([year, found]) => ({ year, count: found.length }));
  const months = [...Map.groupBy(ofYear, monthOf)].map(([month, found]) => ({ month, count: found.length }));
  return { result: { years, months, posts: ofYear.slice(0, 100).map(titled) } };
}

const dayMs = 86_400_000;

/** The last post of this day of UTC in each earlier year, of accounts that want to see them. */
export function onThisDayAnswer(world: World, viewer: Viewer): Expectation {
  if (viewer.account?.showsPast !== true) return { result: { isShown: false, posts: [] } };
  // The clock of a separate process goes on.
  if (dayMs - (world.now % dayMs) < 60_000) return { result: { isShown: true } };
  const today = new Date(world.now).toISOString();
  const past = newestPosts(world, viewer)
    .map(post => ({ post, date: post.publishedAt ?? '' }))
    .filter(({ date }) => date.slice(4, 10) === today.slice(4, 10) && date.slice(0, 4) < today.slice(0, 4));
  const lastOfEach = [...Map.groupBy(past, ({ date }) => date.slice(0, 4)).values()].flatMap(
    ofYear => ofYear[0] ?? [],
  );
  const posts = lastOfEach.map(({ post, date }) => ({ ...titled(post), year: Number(date.slice(0, 4)) }));
  return { result: { isShown: true, posts: posts.slice(0, 5) } };
}

const titled = (post: Post) => ({ postId: post.id, title: post.title ?? shortTitle(post) });

/** The posts before and after a post, by date. */
export function neighboursAnswer(world: World, viewer: Viewer, post: Post): Expectation {
  const refusal = refusalOfPost(viewer, post);
  if (refusal !== undefined) return { refusal };
  if (post.publishedAt === null || post.shownIn !== undefined)
    return { result: { older: null, newer: null } };
  const place: [string, string] = [post.publishedAt, post.id];
  const among = newestPosts(world, viewer).filter(({ id }) => id !== post.id);
  const isNewer = (other: Post) => newestFirst([other.publishedAt ?? '', other.id], place) < 0;
  const older = among.find(other => !isNewer(other));
  const newer = among.findLast(isNewer);
  return {
    result: {
      older: older === undefined ? null : titled(older),
      newer: newer === undefined ? null : titled(newer),
    },
  };
}

/**
 * The list for managing posts, drafts included, newest first by creation; an author's holds only their own.
 */
export function managedPosts(world: World, viewer: Viewer, tags: readonly string[] = []): Post[] {
  return existing(world.posts)
    .filter(post => mayEdit(viewer, post) && carriesAny(post, tags))
    .sort((a, b) => newestFirst([a.createdAt, a.id], [b.createdAt, b.id]));
}

const carriesAny = (post: Post, tags: readonly string[]) =>
  tags.length === 0 || tags.some(tag => post.tags.includes(tag));

/** Every field of a listed post, but those that the model does not know. */
type Listed = Record<Exclude<keyof ListedPost, 'createdAt' | 'updatedAt' | 'publishedOn'>, unknown>;

/**
 * A post as a list shows it to a viewer; `knowsAuthor`: also where posts name no authors, which a list that
 * viewers share never does.
 */
export function listed(world: World, viewer: Viewer, post: Post, knowsAuthor = false): Listed {
  const author = world.accounts[post.author];
  const isKnown = knowsAuthor || bylineOf(world, post) !== null;
  return {
    id: post.id,
    type: post.type,
    title: post.title,
    description: post.description,
    tags: post.tags.map(tag => tagWord(world, tag)).sort(),
    isDraft: post.publishedAt === null,
    isPinned: post.isPinned ?? false,
    shownIn: post.shownIn ?? 'timeline',
    likeCount: post.likes.length,
    commentCount: countedComments(world, post).length,
    isLiked: viewer.account !== null && post.likes.includes(viewer.account.name),
    authorId: !isKnown || author === undefined || author.isGone ? null : author.id,
    authorUsername: bylineOf(world, post),
    authorFace: bylineOf(world, post) === null ? null : faceOf(author),
    publishedAt: post.publishedAt,
    attachments: post.attachments.map(({ file, description, alt }) => ({
      name: world.files[file]?.path.slice('posts/'.length),
      description,
      alt,
    })),
  };
}

export function postAnswer(world: World, viewer: Viewer, post: Post): Expectation {
  const refusal = refusalOfPost(viewer, post);
  if (refusal !== undefined) return { refusal };
  const can = { edit: mayEdit(viewer, post) };
  return { result: { post: { ...listed(world, viewer, post, can.edit), version: post.version, can } } };
}

/**
 * The tags of posts that the viewer may read, with the number of posts; for an admin every listed tag
 * (decision 3).
 */
export function tagsAnswer(world: World, viewer: Viewer): Expectation {
  return { result: { tags: seenTags(world, viewer) } };
}

export function seenTags(world: World, viewer: Viewer): { name: string; postCount: number }[] {
  const posts = publishedPosts(world, viewer);
  const tags = Object.values(world.tags)
    .filter(tag => tag.isListed)
    .map(tag => ({
      name: tag.word,
      postCount: posts.filter(post => post.tags.includes(tag.name)).length,
      isUsable: viewer.role === 'admin' || (viewer.role === 'author' && viewer.tags.has(tag.name)),
    }))
    .filter(({ postCount, isUsable }) => isUsable || postCount > 0)
    .map(({ name, postCount }) => ({ name, postCount }));
  return byName(tags);
}

export function managedTagsAnswer(world: World): Expectation {
  const posts = existing(world.posts);
  const tags = Object.values(world.tags)
    .filter(tag => tag.isListed)
    .map(({ name, word }) => {
      const carrying = posts.filter(post => post.tags.includes(name));
      return {
        name: word,
        publishedCount: carrying.filter(post => post.publishedAt !== null).length,
        draftCount: carrying.filter(post => post.publishedAt === null).length,
        userCount: existing(world.accounts).filter(account => account.tags.includes(name)).length,
        isDefault: world.defaults.includes(name),
      };
    });
  return { result: { tags: byName(tags) } };
}

const byName = <T extends { name: string }>(all: T[]): T[] => all.sort((a, b) => (a.name < b.name ? -1 : 1));

/** The posts that a viewer likes and may still read. */
export function likedAnswer(world: World, viewer: Viewer): Expectation {
  const liked = readablePosts(world, viewer).filter(post => post.likes.includes(viewer.account?.name ?? ''));
  const likes = liked.map(post => ({ postId: post.id, postTitle: post.title ?? shortTitle(post) }));
  return { result: { likes: new AnyOrder(likes) } };
}

/** The posts that a viewer has opened, and may still read. */
export function openedAnswer(world: World, viewer: Viewer): Expectation {
  const opened = readablePosts(world, viewer).filter(post =>
    post.opened.includes(viewer.account?.name ?? ''),
  );
  return { result: { opened: new AnyOrder(opened.map(post => post.id)) } };
}

/** Which posts an account may keep to read them offline. */
export function keptAnswer(world: World, viewer: Viewer): Expectation {
  const posts = readablePosts(world, viewer).filter(post => post.publishedAt !== null);
  return { result: { posts: new AnyOrder(posts.map(({ id }) => ({ postId: id }))) } };
}

/** An essay is named by its title, a short post by its first words. */
const shortTitle = (post: Post) => (title: unknown) => typeof title === 'string' && title.includes(post.head);
