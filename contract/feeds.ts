import { z } from 'zod';
import { operation } from './operation.ts';
import { Moment } from './values.ts';

/** A personal feed as its owner sees it; its address is shown only when it is made. */
export const PersonalFeed = z.object({
  createdAt: Moment,
  /** To the hour; null if no program has fetched it yet. */
  lastUsedAt: Moment.nullable(),
});

const Answer = z.object({ feed: PersonalFeed.nullable() });
/** Whether a post that the caller may read has a sound or a video. */
const hasSound = z.boolean();

export const feedOperations = {
  getPersonalFeed: operation({
    for: 'signed-in',
    scope: 'read',
    summary: 'The caller’s own feed, without its address; null if there is none.',
    output: Answer.extend({ hasSound }),
  }),
  makePersonalFeed: operation({
    for: 'approved',
    scope: 'none',
    asksAgain: true,
    summary:
      'Makes the address of a feed with everything that the caller may read. It is returned only here, and the previous address ends.',
    output: z.object({ feed: PersonalFeed, url: z.string() }),
  }),
  endPersonalFeed: operation({
    for: 'signed-in',
    scope: 'members',
    summary: 'Ends the caller’s own feed. Safe to repeat.',
    output: Answer,
  }),
};
