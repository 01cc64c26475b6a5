import { z } from 'zod';
import { commentMaxCharacters } from './constants.ts';
import { operation } from './operation.ts';
import { Continuation, Cursor, nextCursor } from './paging.ts';
import { namedPost } from './posts.ts';
import { isWithin } from './text.ts';
import { Id, Moment, storable } from './values.ts';

/** A comment as every reader sees it; `can` says what this viewer may do with it. */
export const Comment = z.object({
  id: Id,
  /** Plain text with line breaks. */
  content: z.string(),
  /**
   * 'Unknown User' once the account is deleted. For an imported comment whose author has no account here,
   * their name on the other site.
   */
  authorUsername: z.string(),
  /** The account that wrote it; null once that is deleted. */
  userId: Id.nullable(),
  /** The author's role to show: the post's author, another admin, or null for everybody else. */
  authorRole: z.enum(['author', 'admin']).nullable(),
  createdAt: Moment,
  can: z.object({ delete: z.boolean() }),
});
export type Comment = z.output<typeof Comment>;

/** Trimmed, with one kind of line break (decisions.md 12). */
const CommentContent = storable('The comment')
  .transform(text => text.replaceAll(/\r\n?/g, '\n').trim())
  .refine(text => /[^\s\p{Cc}\p{Cf}]/u.test(text), 'A comment cannot be empty.')
  .refine(text => isWithin(text, commentMaxCharacters), tooLong());

function tooLong(): string {
  return `A comment has at most ${commentMaxCharacters.toLocaleString('en-US')} characters.`;
}

export const commentOperations = {
  listComments: operation({
    for: 'approved',
    scope: 'read',
    summary: 'A page of a post’s comments, newest first.',
    input: z.strictObject({
      postId: Id,
      after: Cursor.nullish(),
    }),
    output: z.object({
      comments: z.array(Comment),
      commentCount: z.int().nonnegative(),
      nextCursor,
    }),
  }),
  addComment: operation({
    for: 'approved',
    scope: 'write',
    summary: 'Comments on a post. With a `key` of the caller’s choice it is safe to repeat.',
    input: z.strictObject({ postId: Id, content: CommentContent, key: Id.optional() }),
    output: z.object({ comment: Comment, commentCount: z.int().nonnegative() }),
  }),
  deleteComment: operation({
    for: 'approved',
    scope: 'write',
    summary: 'Deletes a comment. Its author, the author of the post and admins may do so.',
    input: z.strictObject({ commentId: Id }),
    output: z.object({ commentCount: z.int().nonnegative() }),
  }),
  getOwnComments: operation({
    for: 'signed-in',
    scope: 'read',
    summary: 'A page of the caller’s own comments on posts that they may read, newest first.',
    input: Continuation,
    output: z.object({
      comments: z.array(z.object({ ...namedPost, id: Id, content: z.string(), createdAt: Moment })),
      nextCursor,
    }),
  }),
};
