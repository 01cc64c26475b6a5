import { z } from 'zod';
import { operation } from './operation.ts';
import { Continuation, nextCursor } from './paging.ts';
import { namedPost } from './post.ts';
import { Id, Moment } from './values.ts';

export const likeOperations = {
  setLike: operation({
    for: 'approved',
    scope: 'write',
    summary: 'Likes a post, or removes the like. Safe to repeat.',
    input: z.strictObject({ postId: Id, liked: z.boolean() }),
    output: z.object({ liked: z.boolean(), likeCount: z.int().nonnegative() }),
  }),
  listLikes: operation({
    for: 'author',
    scope: 'read',
    summary: 'Who likes a post of the caller’s own, or any as an admin, newest first: at most 500 of them.',
    input: z.strictObject({ postId: Id }),
    output: z.object({
      /**
       * Null if no account is found (specification section 2). In practice never: likes are deleted with
       * their account.
       */
      likes: z.array(z.object({ userId: Id, username: z.string().nullable(), createdAt: Moment })),
      total: z.int().nonnegative(),
    }),
  }),
  getLikedPosts: operation({
    for: 'signed-in',
    scope: 'read',
    summary: 'A page of the posts that the caller likes and may read, last liked first.',
    input: Continuation,
    output: z.object({ likes: z.array(z.object({ ...namedPost, likedAt: Moment })), nextCursor }),
  }),
};
