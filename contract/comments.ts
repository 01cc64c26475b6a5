import { z } from 'zod';
import { commentMaxCharacters, reportMaxCharacters } from './constants.ts';
import { operation } from './operation.ts';
import { Continuation, Cursor, nextCursor } from './paging.ts';
import { namedPost } from './post.ts';
import { hasVisible, Id, Moment, storable, writtenText } from './values.ts';

/** A comment as every reader sees it; `can` says what this viewer may do with it. */
export const Comment = z.object({
  id: Id,
  /** Plain text with line breaks; empty for a placeholder. */
  content: z.string(),
  /**
   * 'Unknown User' once the account is deleted. For an imported comment whose author has no account here,
   * their name on the other site.
   */
  authorUsername: z.string(),
  /** The full name; if there is no account, the same as `authorUsername`. */
  authorName: z.string(),
  /** The address of their picture; null for none. */
  authorFace: z.string().nullable(),
  /** The account that wrote it; null once the account is deleted. */
  userId: Id.nullable(),
  /** The author's role to show: the post's author, another admin, or null for everybody else. */
  authorRole: z.enum(['author', 'admin']).nullable(),
  createdAt: Moment,
  /** The comment that it answers, which is never itself an answer. */
  parentId: Id.nullable(),
  /** When its text was last changed; null if only within the grace period. */
  editedAt: Moment.nullable(),
  /**
   * Readers see only a placeholder of a deleted or hidden comment; its author and admins still read a hidden
   * one.
   */
  state: z.enum(['shown', 'deleted', 'hidden']),
  /** Why an admin has hidden it, for its author and admins. */
  hiddenReason: z.string().nullable(),
  can: z.object({ delete: z.boolean(), edit: z.boolean(), report: z.boolean(), moderate: z.boolean() }),
});
export type Comment = z.output<typeof Comment>;

const CommentContent = writtenText('A comment', commentMaxCharacters).refine(
  hasVisible,
  'A comment cannot be empty.',
);

const commentCount = z.int().nonnegative();
const Changed = z.object({ comment: Comment, commentCount });

/** A comment that admins decide about, with the post that it is on. */
const ReportedComment = z.object({
  ...namedPost,
  comment: Comment,
  /** The oldest first. */
  reports: z.array(z.object({ username: z.string(), word: z.string(), createdAt: Moment })),
});

/** The lists of comments on the page Comments. */
export const commentLists = ['all', 'reported', 'hidden'] as const;
export type CommentList = (typeof commentLists)[number];

const decided = {
  commentId: Id,
  /**
   * The time of the newest report that the admin was shown: later reports stay open. If left out, none stays
   * open.
   */
  seenUntil: Moment.optional(),
};

export const commentOperations = {
  listComments: operation({
    for: 'approved',
    scope: 'read',
    summary:
      'A page of a post’s comments, newest first. With `threads`, each is followed by its answers, oldest first, and pages count comments that answer none.',
    input: z.strictObject({
      postId: Id,
      after: Cursor.nullish(),
      threads: z.boolean().optional(),
    }),
    output: z.object({
      comments: z.array(Comment),
      commentCount,
      nextCursor,
      /** Rises with each change of the comments of this post. */
      version: z.int(),
      /** From when on nobody may comment on this post; null for never. */
      closedAt: Moment.nullable(),
      /** Whether the caller may close and open the comments of this post. */
      canClose: z.boolean(),
    }),
  }),
  addComment: operation({
    for: 'approved',
    scope: 'write',
    summary:
      'Adds a comment to a post, or an answer to a comment. With a `key` of the caller’s choice it is safe to repeat.',
    input: z.strictObject({
      postId: Id,
      content: CommentContent,
      key: Id.optional(),
      /** The comment to answer. An answer to an answer joins the same thread. */
      parentId: Id.optional(),
    }),
    output: Changed,
  }),
  editComment: operation({
    for: 'approved',
    scope: 'write',
    summary: 'Changes a comment of the caller’s own. Earlier words are not kept.',
    input: z.strictObject({
      commentId: Id,
      content: CommentContent,
      /** The words that the change began with: other ones, saved elsewhere meanwhile, are not replaced. */
      before: storable('The text before').optional(),
    }),
    output: Changed,
  }),
  deleteComment: operation({
    for: 'approved',
    scope: 'write',
    summary: 'Deletes a comment. For its author, the author of the post and admins.',
    input: z.strictObject({ commentId: Id }),
    output: z.object({
      commentCount,
      /** The placeholder that is left of it; absent if it has no answers. */
      comment: Comment.optional(),
    }),
  }),
  getOwnComments: operation({
    for: 'signed-in',
    scope: 'read',
    summary: 'A page of the caller’s own comments on posts that they may read, newest first.',
    input: Continuation,
    output: z.object({
      comments: z.array(
        z.object({
          ...namedPost,
          id: Id,
          content: z.string(),
          createdAt: Moment,
          /** Why an admin has hidden it from others; null while it is shown. */
          hiddenReason: z.string().nullable(),
        }),
      ),
      nextCursor,
    }),
  }),
  reportComment: operation({
    for: 'approved',
    scope: 'write',
    summary: 'Reports somebody else’s comment to the admins, with an optional message.',
    input: z.strictObject({ commentId: Id, word: writtenText('A report', reportMaxCharacters).default('') }),
  }),
  listReportedComments: operation({
    for: 'admin',
    scope: 'read',
    summary:
      'A page of the reported, the hidden or all comments, newest first, and how many are reported or hidden.',
    input: z.strictObject({ list: z.enum(commentLists), after: Cursor.nullish() }),
    output: z.object({
      comments: z.array(ReportedComment),
      /** Null for all comments, which are not counted. */
      total: z.int().nonnegative().nullable(),
      nextCursor,
    }),
  }),
  hideComment: operation({
    for: 'admin',
    scope: 'write',
    summary: 'Hides a comment from everybody but its author, who sees the reason. Closes its reports.',
    input: z.strictObject({
      ...decided,
      reason: writtenText('The reason', reportMaxCharacters).refine(
        text => text !== '',
        'Say why: its author reads it.',
      ),
    }),
    output: Changed,
  }),
  restoreComment: operation({
    for: 'admin',
    scope: 'write',
    summary: 'Shows a hidden comment again. Closes its reports.',
    input: z.strictObject(decided),
    output: Changed,
  }),
  dismissReports: operation({
    for: 'admin',
    scope: 'write',
    summary: 'Leaves a reported comment as it is. Closes its reports.',
    input: z.strictObject(decided),
  }),
  setCommentsClosed: operation({
    for: 'author',
    scope: 'write',
    summary:
      'Closes the comments of a post, or opens them again unless the post is too old for comments. For its author and admins.',
    input: z.strictObject({ postId: Id, isClosed: z.boolean() }),
    output: z.object({ closedAt: Moment.nullable() }),
  }),
};
