import type { Viewer } from './accounts/sign-in.ts';
import type { Comment } from './comments.ts';

type Counted = { postId: string; commentCount: number; likeCount: number };

/** The events that `GET /live` sends to an open page, by name. */
export type LiveEvents = {
  /** On opening, and whenever it changes: who the reader is and what they may do now. */
  viewer: Viewer;
  /** On opening, for each post: by its newest comment a page can tell whether it has missed anything. */
  state: Counted & { newestId: string | null };
  /** Comments were added or deleted, or the likes changed. */
  comments: Counted & { added: Comment[]; removed: string[] };
  /** The reader may not, or no longer, read the comments of a post; no more events about it follow. */
  gone: { postId: string; reason: 'not-found' | 'permission-denied' };
};
