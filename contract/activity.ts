import { z } from 'zod';
import { operation } from './operation.ts';
import { Id, Moment } from './values.ts';

/** How a list of one's own activity calls a post: an essay by its title, a short post by its first characters. */
const namedPost = {
  postId: Id,
  postTitle: z.string(),
  /** Whether `postTitle` stops before the text does. */
  isCut: z.boolean(),
};

const LikedPost = z.object({ ...namedPost, likedAt: Moment });

const OwnComment = z.object({ ...namedPost, id: Id, content: z.string(), createdAt: Moment });

const Continuation = z
  .strictObject({
    /** The `nextCursor` of an earlier page. */
    after: z.string().max(200).nullish(),
  })
  .nullish();
/** What to pass as `after` for the next page; null on the last. */
const nextCursor = z.string().nullable();

export const activityOperations = {
  getLikedPosts: operation({
    for: 'signed-in',
    summary: 'A page of the posts that the caller likes and may read, last liked first.',
    input: Continuation,
    output: z.object({ likes: z.array(LikedPost), nextCursor }),
  }),
  getOwnComments: operation({
    for: 'signed-in',
    summary: 'A page of the caller’s own comments on posts that they may read, newest first.',
    input: Continuation,
    output: z.object({ comments: z.array(OwnComment), nextCursor }),
  }),
};
