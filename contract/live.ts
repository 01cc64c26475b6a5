import type { Viewer } from './accounts/sign-in.ts';
import type { Comment } from './comments.ts';

type Counted = {
  postId: string;
  commentCount: number;
  likeCount: number;
  /** As in the answer of `listComments`. */
  version: number;
  closedAt: string | null;
};

/** The events that `GET /live` sends to an open page, by name. */
export type LiveEvents = {
  /** On opening, and whenever it changes: who the reader is and what they may do now. */
  viewer: Viewer;
  /** On opening, for each post: the version tells a page whether it has missed anything. */
  state: Counted;
  /**
   * Comments were added, changed or deleted, commenting was closed, or the likes changed. A comment that
   * becomes a placeholder is removed, and added as it is now.
   */
  comments: Counted & { added: Comment[]; removed: string[] };
  /**
   * The reader may not, or may no longer, read the comments of a post, or it was deleted. No more events
   * about it follow.
   */
  gone: { postId: string; reason: 'not-found' | 'permission-denied' };
};
