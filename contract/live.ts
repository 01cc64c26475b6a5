import { z } from 'zod';
import { Viewer } from './accounts/sign-in.ts';
import { Comment } from './comments.ts';
import { Id } from './values.ts';

/** The events that `GET /live` sends to an open page, by name. */
const liveEvents = {
  /** On opening, and whenever it changes: who the reader is and what they may do now. */
  viewer: Viewer,
  /** On opening, for each post: by its newest comment a page can tell whether it has missed anything. */
  state: z.object({
    postId: Id,
    commentCount: z.int().nonnegative(),
    likeCount: z.int().nonnegative(),
    newestId: Id.nullable(),
  }),
  /** Comments were added or deleted, or the likes changed. */
  comments: z.object({
    postId: Id,
    added: z.array(Comment),
    removed: z.array(Id),
    commentCount: z.int().nonnegative(),
    likeCount: z.int().nonnegative(),
  }),
  /** The reader may not, or no longer, read the comments of a post; no more events about it follow. */
  gone: z.object({ postId: Id, reason: z.enum(['not-found', 'permission-denied']) }),
};

export type LiveEvents = { [Name in keyof typeof liveEvents]: z.output<(typeof liveEvents)[Name]> };
