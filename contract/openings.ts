import { z } from 'zod';
import { operation } from './operation.ts';
import { Id } from './values.ts';

export const openingOperations = {
  countOpening: operation({
    for: 'anyone',
    // Only readers are counted, not programs.
    scope: 'none',
    summary: 'Counts one opening of a post. Nothing about the reader is stored.',
    input: z.strictObject({ postId: Id }),
    // The same answer whether it was counted or not.
  }),
  getOpenings: operation({
    for: 'author',
    scope: 'read',
    summary: 'Approximately how often posts were opened: the caller’s own, or any for an admin.',
    input: z.strictObject({ postIds: z.array(Id).max(100) }),
    output: z.object({
      /** Whether the site counts openings; otherwise there are no counts. */
      isCounted: z.boolean(),
      /**
       * `times` is the highest of 10, 20, 50, 100, 200, 500 and so on that was reached. Posts that were
       * opened fewer times than `openingsShownFrom` are left out.
       */
      counts: z.array(z.object({ postId: Id, times: z.int().positive() })),
    }),
  }),
};
