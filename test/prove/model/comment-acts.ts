import type { DeedOf } from '../steps.ts';
import { wordFor } from '../words.ts';
import { about, asAdmin } from './accounts.ts';
import type { Acts, Expectation, Told } from './act.ts';
import { actor } from './caller.ts';
import { newestFirst } from './post-acts.ts';
import { onEditable, onReadable } from './post-refusals.ts';
import { mayEdit, mayReadComments, seesComment, type Viewer, viewerOf } from './rule.ts';
import { type Comment, existing, type Post, type World } from './world.ts';

export type CommentDeed =
  | 'comment'
  | 'editComment'
  | 'deleteComment'
  | 'reportComment'
  | 'hideComment'
  | 'restoreComment'
  | 'dismissReports'
  | 'closeComments'
  | 'mute';

/** What is done to comments, and what decides who may write some. */
export const commentActs: Acts<CommentDeed> = {
  comment: (world, { by, at, post: name, answers }, told) =>
    onReadable(world, by, name, (viewer, post) => {
      const refusal = refusalOfWriting(viewer, post);
      if (refusal !== undefined) return { refusal };
      const answered = answers === undefined ? undefined : world.comments[answers];
      const isThere = answered?.post === name && !answered.isGone && answered.hidden === null;
      if (answers !== undefined && !isThere) return { refusal: 'not-found' };
      const parent = answered === undefined ? null : (answered.parent ?? answered.name);
      const comment = addComment(world, viewer, { at, post: name, parent }, told);
      return changed(world, viewer, post, comment.name);
    }),
  editComment: (world, { by, at, comment: name }) =>
    onComment(world, by, name, (viewer, post, comment) => {
      if (comment.author !== viewer.account?.name) return { refusal: 'permission-denied' };
      const refusal = refusalOfWriting(viewer, post);
      if (refusal !== undefined) return { refusal };
      if (comment.hidden !== null) return { refusal: 'failed-precondition' };
      comment.word = commentAt(at);
      return changed(world, viewer, post, name);
    }),
  deleteComment: (world, { by, comment: name }) =>
    onComment(world, by, name, (viewer, post, comment) => {
      if (!mayEdit(viewer, post) && comment.author !== viewer.account?.name)
        return { refusal: 'permission-denied' };
      comment.isGone = true;
      return { result: { commentCount: countedComments(world, post).length } };
    }),
  reportComment: (world, { by, at, comment: name }) =>
    onComment(world, by, name, (viewer, _, comment) => {
      const reporter = viewer.account?.name ?? '';
      if (comment.author === reporter) return { refusal: 'failed-precondition' };
      comment.reports[reporter] = reportAt(at);
      return { result: {} };
    }),
  hideComment: (world, { by, at, comment }) => moderate(world, by, comment, { hidden: reasonAt(at) }),
  restoreComment: (world, { by, comment }) => moderate(world, by, comment, { hidden: null }),
  dismissReports: (world, { by, comment }) => moderate(world, by, comment, undefined),
  closeComments: (world, { by, post: name, isClosed }) =>
    onEditable(world, by, name, (_, post) => {
      post.isClosed = isClosed;
      return { result: {} };
    }),
  mute: (world, { by, who, isMuted }) =>
    asAdmin(world, by, () =>
      about(world, who, account => {
        if (isMuted && account.isAdmin) return { refusal: 'failed-precondition' };
        account.isMuted = isMuted;
        return undefined;
      }),
    ),
};

export const commentAt = (at: number) => wordFor(`comment at ${at}`);
export const reportAt = (at: number) => wordFor(`report at ${at}`);
export const reasonAt = (at: number) => wordFor(`reason at ${at}`);

/** The comments that count, newest first. */
export function countedComments(world: World, post: Post): Comment[] {
  return sorted(
    existing(world.comments).filter(({ post: of, hidden }) => of === post.name && hidden === null),
  );
}

/** The comments that a viewer reads, newest first. */
export function commentsOf(world: World, viewer: Viewer, post: Post): Comment[] {
  return sorted(
    existing(world.comments).filter(comment => comment.post === post.name && seesComment(viewer, comment)),
  );
}

export const sorted = (comments: Comment[]) =>
  comments.sort((a, b) => newestFirst([a.createdAt, a.id], [b.createdAt, b.id]));

function changed(world: World, viewer: Viewer, post: Post, name: string): Expectation {
  const comment = world.comments[name];
  return {
    result: {
      comment: {
        content: `A comment: ${comment?.word}.`,
        authorUsername: world.accounts[comment?.author ?? '']?.username ?? 'Unknown User',
        can: { delete: mayEdit(viewer, post) || comment?.author === viewer.account?.name },
      },
      commentCount: countedComments(world, post).length,
    },
  };
}

/** Why somebody who reads comments may write none. */
function addComment(
  world: World,
  { account }: Viewer,
  { at, post, parent }: { at: number; post: string; parent: string | null },
  { id = '', createdAt = '' }: Told,
): Comment {
  const comment: Comment = {
    ...{ name: `c${at}`, id, post, word: commentAt(at), createdAt, isGone: false, parent },
    ...{ author: account?.name ?? null, hidden: null, reports: {} },
  };
  world.comments[comment.name] = comment;
  return comment;
}

/** What becomes of an answer by mail. */
export function answerByMail(
  world: World,
  { at, who, post: name, from = who }: DeedOf<'answerByMail'>,
  told: Told,
): 'comment' | 'refused' | 'ignored' {
  const [account, post] = [world.accounts[who], world.posts[name]];
  // The address goes with its account or post, and is good for its owner alone.
  if (account === undefined || account.isGone || post === undefined || post.isGone || from !== who)
    return 'ignored';
  const viewer = viewerOf(world, account);
  if (!mayReadComments(viewer, post) || refusalOfWriting(viewer, post) !== undefined) return 'refused';
  addComment(world, viewer, { at, post: name, parent: null }, told);
  return 'comment';
}

function refusalOfWriting({ account, role }: Viewer, post: Post): string | undefined {
  if (account?.isMuted && !account.isAdmin) return 'permission-denied';
  return role !== 'visitor' && post.isClosed ? 'failed-precondition' : undefined;
}

/** Something about a comment that the viewer is shown. */
function onComment(
  world: World,
  by: string,
  name: string,
  act: (viewer: Viewer, post: Post, comment: Comment) => Expectation,
): Expectation {
  const asking = actor(world, by, 'approved');
  if ('refusal' in asking) return asking;
  const comment = world.comments[name];
  if (comment === undefined || comment.isGone) return { refusal: 'not-found' };
  return onReadable(world, by, comment.post, (viewer, post) =>
    seesComment(viewer, comment) ? act(viewer, post, comment) : { refusal: 'not-found' },
  );
}

/** A decision about a comment; `change` undefined leaves it as it is. */
function moderate(
  world: World,
  by: string,
  name: string,
  change: { hidden: string | null } | undefined,
): Expectation {
  const asking = actor(world, by, 'admin');
  if ('refusal' in asking) return asking;
  return onComment(world, by, name, (viewer, post, comment) => {
    comment.reports = {};
    if (change === undefined) return { result: {} };
    Object.assign(comment, change);
    return changed(world, viewer, post, name);
  });
}
