import type { Flag } from './columns.ts';

export type ReadingTables = {
  /**
   * A reader's private choices; without a row, posts of earlier years are not shown, and opened posts are
   * remembered.
   */
  reading_settings: {
    user_id: string;
    /** Whether their timeline shows posts of this day in earlier years. */
    shows_past: Flag;
    /** Whether `opened_posts` is kept. */
    keeps_opened: Flag;
  };
  /** When somebody opened a post, for themselves alone (decision 42). */
  opened_posts: {
    user_id: string;
    post_id: string;
    /** The last time. */
    opened_at: number;
    /** Null if it is not known: long ago. */
    first_opened_at: number | null;
  };
  /** How often a post was opened, by anybody; for its author and admins. */
  openings: { post_id: string; times: number };
};
