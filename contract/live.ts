import { z } from 'zod';
import { Viewer } from './accounts/sign-in.ts';
import { Comment } from './comments.ts';
import { Id } from './values.ts';

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
