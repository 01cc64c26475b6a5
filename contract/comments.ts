import { z } from 'zod';
import { Viewer } from './accounts/sign-in.ts';
import { commentMaxCharacters } from './constants.ts';
import { operation } from './operation.ts';
import { countCodePoints } from './text.ts';
import { Id, Moment, storable } from './values.ts';

/** What every reader of a comment is told. The server says what this viewer may do with it. */
export const Comment = z.object({
  id: Id,
  /** Plain text with line breaks. */
  content: z.string(),
  /** 'Unknown User' once the account is gone. */
  authorUsername: z.string(),
  createdAt: Moment,
  can: z.object({ delete: z.boolean() }),
});
export type Comment = z.output<typeof Comment>;

/** Trimmed, with one kind of line break (decisions.md 12). */
const CommentContent = storable('The comment')
  .max(4 * commentMaxCharacters, tooLong())
  .transform(text => text.replaceAll(/\r\n?/g, '\n').trim())
  .refine(text => /[^\s\p{Cc}\p{Cf}]/u.test(text), 'A comment cannot be empty.')
  .refine(text => countCodePoints(text) <= commentMaxCharacters, tooLong());

function tooLong(): string {
  return `A comment has at most ${commentMaxCharacters.toLocaleString('en-US')} characters.`;
}

export const commentOperations = {
  listComments: operation({
    for: 'approved',
    summary: 'A page of a post’s comments, newest first.',
    input: z.strictObject({
      postId: Id,
      /** Continues after the last comment of an earlier page. */
      after: z.string().max(200).nullish(),
    }),
    output: z.object({
      comments: z.array(Comment),
      commentCount: z.int().nonnegative(),
      /** What to pass as `after` for the next page; null on the last. */
      nextCursor: z.string().nullable(),
    }),
  }),
  addComment: operation({
    for: 'approved',
    summary: 'Comments on a post. With a `key` of the caller’s choice it is safe to repeat.',
    input: z.strictObject({ postId: Id, content: CommentContent, key: Id.optional() }),
    output: z.object({ comment: Comment, commentCount: z.int().nonnegative() }),
  }),
  deleteComment: operation({
    for: 'approved',
    summary: 'Deletes a comment: its author may, and an admin.',
    input: z.strictObject({ commentId: Id }),
    output: z.object({ commentCount: z.int().nonnegative() }),
  }),
};

/** What `GET /live` tells an open page: the name of an event and what it carries. */
const liveEvents = {
  /** On opening, and whenever it changes: who the reader is and what they may do now. */
  viewer: Viewer,
  /** On opening, for each post: with its newest comment a page can tell whether it has missed anything. */
  state: z.object({
    postId: Id,
    commentCount: z.int().nonnegative(),
    likeCount: z.int().nonnegative(),
    newestId: Id.nullable(),
  }),
  /** Comments came or went, or the likes changed. */
  comments: z.object({
    postId: Id,
    added: z.array(Comment),
    removed: z.array(Id),
    commentCount: z.int().nonnegative(),
    likeCount: z.int().nonnegative(),
  }),
  /** The reader may not, or no longer, read the comments of a post; nothing more comes of it. */
  gone: z.object({ postId: Id, reason: z.enum(['not-found', 'permission-denied']) }),
};

export type LiveEvents = { [Name in keyof typeof liveEvents]: z.output<(typeof liveEvents)[Name]> };
