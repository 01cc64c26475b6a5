import { managed } from './account-acts.ts';
import type { Expectation } from './act.ts';
import { commentsOf, countedComments, sorted } from './comment-acts.ts';
import { newestFirst, openRequests, refusalOfPost } from './post-acts.ts';
import {
  bylineOf,
  faceOf,
  mayEdit,
  mayRead,
  mayReadByTags,
  mayReadComments,
  readablePosts,
  seesComment,
  type Viewer,
  viewerOf,
} from './rule.ts';
import { type Account, type Comment, emailOf, existing, type Post, tagWord, type World } from './world.ts';

/** A list whose order is not defined. */
export class AnyOrder {
  readonly items: readonly unknown[];
  constructor(items: readonly unknown[]) {
    this.items = items;
  }
}

/** A list of a page, in the specification's sizes. */
export function pageOf<T>(all: readonly T[], page: number, size = 10): { items: T[]; hasNext: boolean } {
  return { items: all.slice((page - 1) * size, page * size), hasNext: all.length > page * size };
}

export function viewerAnswer(viewer: Viewer): Expectation {
  const { account, role } = viewer;
  const isMember = role !== 'visitor';
  const user = account && {
    id: account.id,
    username: account.username,
    name: account.fullName,
    email: emailOf(account),
    isAdmin: role === 'admin',
    isAuthor: role === 'author',
    isApproved: account.status === 'approved',
    pendingApproval: account.status === 'pending',
    isMuted: account.isMuted === true && !account.isAdmin,
  };
  const can = {
    like: isMember,
    comment: isMember,
    write: role === 'author' || role === 'admin',
    administer: role === 'admin',
  };
  return { result: { user, can } };
}

/**
 * The posts of the timeline that a viewer may read, or all published ones that carry any of the tags: pinned
 * ones first, then newest first (decisions.md 2 and 14).
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

/** The essays that stand in the navigation or the footer, oldest first. */
export function pagesAnswer(world: World, viewer: Viewer): Expectation {
  const pages = publishedPosts(world, viewer)
    .filter(post => post.shownIn !== undefined)
    .map(({ id, title, shownIn }) => ({ postId: id, title, shownIn }));
  return { result: { pages: pages.reverse() } };
}

/** The published posts that a viewer may read, newest first. */
export function publishedPosts(world: World, viewer: Viewer): Post[] {
  return existing(world.posts)
    .filter(post => mayReadByTags(viewer, post) && post.publishedAt !== null)
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

/** A post as a list shows it to a viewer. */
export function listed(world: World, viewer: Viewer, post: Post) {
  const author = world.accounts[post.author];
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
    authorId: author === undefined || author.isGone ? null : author.id,
    authorUsername: bylineOf(world, post),
    authorFace: bylineOf(world, post) === null ? null : faceOf(author),
    publishedAt: post.publishedAt,
    attachments: post.attachments.map(({ file, description }) => ({
      name: world.files[file]?.path.slice('posts/'.length),
      description,
    })),
  };
}

export function postAnswer(world: World, viewer: Viewer, post: Post): Expectation {
  const refusal = refusalOfPost(viewer, post);
  if (refusal !== undefined) return { refusal };
  const can = { edit: mayEdit(viewer, post) };
  return { result: { post: { ...listed(world, viewer, post), version: post.version, can } } };
}

export function commentsAnswer(world: World, viewer: Viewer, post: Post, threads = false): Expectation {
  const refusal = refusalOfPost(viewer, post);
  if (refusal !== undefined) return { refusal };
  if (!mayReadComments(viewer, post)) return { refusal: 'permission-denied' };
  const comments = threads ? inThreads(world, viewer, post) : commentsOf(world, viewer, post);
  return {
    result: {
      commentCount: countedComments(world, post).length,
      canClose: mayEdit(viewer, post),
      comments: comments.slice(0, 20).map(comment => describe(world, viewer, post, comment)),
    },
  };
}

/** The comments with which threads begin, newest first, each followed by its answers, oldest first. */
function inThreads(world: World, viewer: Viewer, post: Post): Comment[] {
  const all = Object.values(world.comments).filter(comment => comment.post === post.name);
  const answersTo = (name: string) => sorted(all.filter(({ parent, isGone }) => parent === name && !isGone));
  return sorted(all.filter(({ parent }) => parent === null)).flatMap(first => {
    const read = answersTo(first.name)
      .toReversed()
      .filter(answer => seesComment(viewer, answer));
    const isShown = read.length > 0 || (!first.isGone && seesComment(viewer, first));
    return isShown ? [first, ...read] : [];
  });
}

/** A comment as a viewer is shown it. Nothing is told of who wrote one that they do not read. */
function describe(world: World, viewer: Viewer, post: Post, comment: Comment) {
  const isRead = !comment.isGone && seesComment(viewer, comment);
  const author = isRead ? world.accounts[comment.author ?? ''] : undefined;
  const isOwn = isRead && comment.author !== null && comment.author === viewer.account?.name;
  const isAdmin = viewer.role === 'admin';
  return {
    id: comment.id,
    content: isRead ? `A comment: ${comment.word}.` : '',
    authorUsername: author?.username ?? 'Unknown User',
    authorName: author?.fullName ?? 'Unknown User',
    authorFace: faceOf(author),
    userId: author?.id ?? null,
    authorRole: isRead ? roleOf(world, comment.author, post) : null,
    parentId: comment.parent === null ? null : world.comments[comment.parent]?.id,
    state: comment.isGone ? 'deleted' : comment.hidden === null ? 'shown' : 'hidden',
    hiddenReason: isRead ? comment.hidden : null,
    can: {
      delete: isRead && (mayEdit(viewer, post) || isOwn),
      edit: isOwn && comment.hidden === null && (isAdmin || !viewer.account?.isMuted),
      report: isRead && !isOwn && !isAdmin,
      moderate: isRead && isAdmin,
    },
  };
}

/** What admins decide about. */
export function reportedAnswer(world: World, list: 'reported' | 'hidden'): Expectation {
  const comments = existing(world.comments)
    .filter(({ hidden, reports }) => (list === 'hidden' ? hidden !== null : Object.keys(reports).length > 0))
    .map(({ id, reports }) => ({
      comment: { id },
      reports: new AnyOrder(
        Object.entries(reports).map(([name, word]) => ({ username: world.accounts[name]?.username, word })),
      ),
    }));
  return { result: { comments: new AnyOrder(comments), total: comments.length } };
}

export function requestsAnswer(world: World): Expectation {
  const requests = openRequests(world).map(({ post, account, needed }) => ({
    postId: post.id,
    username: account.username,
    needed: new AnyOrder(needed.map(tag => tagWord(world, tag))),
  }));
  return { result: { requests: new AnyOrder(requests), total: requests.length } };
}

function roleOf(world: World, author: string | null, post: Post): 'author' | 'admin' | null {
  const account = world.accounts[author ?? ''];
  if (account === undefined || account.status !== 'approved') return null;
  if (!account.isAdmin && !account.isAuthor) return null;
  if (author === post.author) return 'author';
  return account.isAdmin ? 'admin' : null;
}

/**
 * The tags of posts that the viewer may read, with the number of posts; for an admin every listed tag
 * (decisions.md 3).
 */
export function tagsAnswer(world: World, viewer: Viewer): Expectation {
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
  return { result: { tags: byName(tags) } };
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

/** The viewer's comments on posts that they may still read; none for a viewer who may not read comments. */
export function ownCommentsAnswer(world: World, viewer: Viewer): Expectation {
  const comments = existing(world.comments)
    .filter(comment => comment.author === viewer.account?.name)
    .filter(comment => {
      const post = world.posts[comment.post];
      return post !== undefined && mayReadComments(viewer, post);
    })
    .sort((a, b) => newestFirst([a.createdAt, a.id], [b.createdAt, b.id]))
    .map(({ id, word, post }) => ({ id, postId: world.posts[post]?.id, content: `A comment: ${word}.` }));
  return { result: { comments } };
}

export type UserList = 'pending' | 'approved' | 'denied' | 'admins';

/** A name that sorts as a reader counts: member2 before member10. */
const naturalOf = (name: string) => name.replace(/\d*$/, digits => digits.padStart(40, '0'));

/** Accounts as admins see them: pending ones in the order of their sign-up, all others by username. */
export function usersAnswer(world: World, list: UserList, search: string): Expectation {
  const isIn = (account: Account) =>
    (list === 'admins') === account.isAdmin && account.status === (list === 'admins' ? 'approved' : list);
  const found = existing(world.accounts)
    .filter(isIn)
    .filter(account =>
      [account.username, account.fullName, emailOf(account)].some(text => text.includes(search)),
    );
  const users = found.map(account => managed(world, account));
  const sorted =
    list === 'pending'
      ? new AnyOrder(users)
      : users.sort((a, b) => (naturalOf(a.username) < naturalOf(b.username) ? -1 : 1));
  return { result: { users: sorted, total: found.length } };
}

/** Everything that the site stores about an account; of posts only their ids. */
export function exportAnswer(world: World, account: Account): Expectation {
  const likes = existing(world.posts).filter(post => post.likes.includes(account.name));
  const comments = existing(world.comments).filter(comment => comment.author === account.name);
  const opened = existing(world.posts).filter(post => post.opened.includes(account.name));
  return {
    result: {
      data: {
        account: {
          username: account.username,
          email: emailOf(account),
          approvedTags: account.tags.map(tag => tagWord(world, tag)).sort(),
        },
        likes: new AnyOrder(likes.map(post => ({ postId: post.id }))),
        comments: new AnyOrder(comments.map(({ word }) => ({ content: `A comment: ${word}.` }))),
        openedPosts: new AnyOrder(opened.map(post => ({ postId: post.id }))),
      },
    },
  };
}

/** Members who may read a published post with these tags; admins are not counted. */
function readersOf(world: World, tags: readonly string[], defaults = world.defaults): Account[] {
  return existing(world.accounts)
    .filter(account => account.status === 'approved' && !account.isAdmin)
    .filter(account => tags.every(tag => defaults.includes(tag) || account.tags.includes(tag)));
}

const isOpen = (tags: readonly string[], defaults: readonly string[]) =>
  tags.every(tag => defaults.includes(tag));

/** Who may read a published post with these tags (decisions.md 6). */
export function audienceAnswer(world: World, tags: readonly string[]): Expectation {
  return {
    result: {
      isPublic: isOpen(tags, world.defaults),
      memberCount: readersOf(world, tags).length,
      memberTotal: readersOf(world, []).length,
      restrictedBy: tags.filter(tag => !world.defaults.includes(tag)).map(tag => tagWord(world, tag)),
    },
  };
}

/** How other default tags would change what visitors may read, and what members may read beyond visitors. */
export function defaultsEffectAnswer(world: World, defaults: readonly string[]): Expectation {
  const posts = existing(world.posts).filter(post => post.publishedAt !== null);
  const effect = { visitors: { gained: 0, lost: 0 }, members: { gained: 0, lost: 0 } };
  for (const { tags } of posts) {
    const [was, is] = [isOpen(tags, world.defaults), isOpen(tags, defaults)];
    if (is && !was) effect.visitors.gained += 1;
    if (was && !is) effect.visitors.lost += 1;
    if (was || is) continue;
    const then = readersOf(world, tags);
    const now = readersOf(world, tags, [...defaults]);
    if (now.some(account => !then.includes(account))) effect.members.gained += 1;
    if (then.some(account => !now.includes(account))) effect.members.lost += 1;
  }
  return { result: effect };
}

/** What an account would gain and lose if it were approved with these tags. */
export function approvalEffectAnswer(world: World, account: Account, tags: readonly string[]): Expectation {
  const posts = existing(world.posts).filter(post => post.publishedAt !== null);
  const before = viewerOf(world, account);
  const after = viewerOf(world, { ...account, status: 'approved', tags: [...tags] });
  const [then, now] = [before, after].map(viewer => posts.filter(post => mayRead(viewer, post)));
  return {
    result: {
      gained: now?.filter(post => !then?.includes(post)).length,
      lost: then?.filter(post => !now?.includes(post)).length,
    },
  };
}
