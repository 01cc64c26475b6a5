import type { Flag } from './columns.ts';

export type ReadingTables = {
  /**
   * What somebody has chosen, for themselves alone; without a row, nothing of earlier years is shown, and
   * moments are kept.
   */
  reading_settings: {
    user_id: string;
    /** Whether their timeline shows posts of this day in earlier years. */
    shows_past: Flag;
    /** Whether the moments in `opened_posts` are kept. */
    keeps_opened: Flag;
  };
  /** When somebody last opened a post, for themselves alone (decisions.md 42). */
  opened_posts: { user_id: string; post_id: string; opened_at: number };
  /** How often a post was opened, by whomever; for its author and admins. */
  openings: { post_id: string; times: number };
};
