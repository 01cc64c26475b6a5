import type { CommentList } from '../../../contract/comments.ts';
import { reportsPerPage } from '../../../contract/constants.ts';
import type { Expectation } from './act.ts';
import { commentsOf, countedComments, sorted } from './comment-acts.ts';
import { AnyOrder } from './lists.ts';
import { newestFirst } from './post-acts.ts';
import { refusalOfPost } from './post-refusals.ts';
import { faceOf, mayEdit, mayReadComments, seesComment, type Viewer } from './rule.ts';
import { type Comment, existing, type Post, type World } from './world.ts';

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

/** A comment as a viewer is shown it, without its author where they may not read it. */
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
export function reportedAnswer(world: World, list: CommentList): Expectation {
  const comments = existing(world.comments).filter(
    ({ hidden, reports }) =>
      list === 'all' || (list === 'hidden' ? hidden !== null : Object.keys(reports).length > 0),
  );
  const described = (list === 'all' ? sorted(comments).slice(0, reportsPerPage) : comments).map(
    ({ id, reports }) => ({
      comment: { id },
      reports: new AnyOrder(
        Object.entries(reports).map(([name, word]) => ({ username: world.accounts[name]?.username, word })),
      ),
    }),
  );
  return list === 'all'
    ? { result: { comments: described, total: null } }
    : { result: { comments: new AnyOrder(described), total: comments.length } };
}

function roleOf(world: World, author: string | null, post: Post): 'author' | 'admin' | null {
  const account = world.accounts[author ?? ''];
  if (account === undefined || account.status !== 'approved') return null;
  if (!account.isAdmin && !account.isAuthor) return null;
  if (author === post.author) return 'author';
  return account.isAdmin ? 'admin' : null;
}

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
