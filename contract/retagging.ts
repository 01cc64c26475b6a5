import { z } from 'zod';
import { Effect } from './effects.ts';
import { operation } from './operation.ts';
import { ManagedTag } from './tags.ts';
import { Id } from './values.ts';

const count = z.int().nonnegative();

/**
 * Who would read more and less if posts had other tags. Strict, because the change takes it as the admin has
 * seen it.
 */
const AudienceEffect = z.strictObject({
  visitors: z.strictObject(Effect.shape),
  /** Posts, and the members who gain or lose any of them; those that open to visitors are no gain here. */
  members: z.strictObject({ gained: count, gaining: count, lost: count, losing: count }),
});
export type AudienceEffect = z.output<typeof AudienceEffect>;

export const MergeEffect = AudienceEffect.extend({
  /** Invitations that would give the other tag. */
  invitations: count,
});
export type MergeEffect = z.output<typeof MergeEffect>;

const Two = z.strictObject({
  tagId: Id,
  /** The tag that stays. */
  intoId: Id,
});

export const retaggingOperations = {
  previewTagMerge: operation({
    for: 'admin',
    scope: 'members',
    summary: 'What merging a tag into another one would open and close. It changes nothing.',
    input: Two,
    output: MergeEffect,
  }),
  mergeTag: operation({
    for: 'admin',
    scope: 'members',
    summary:
      'Merges a tag into another one: its posts, users and invitations have the other instead, and it leaves the list. Refused if its effect is no longer the one that the caller has seen.',
    input: Two.extend({ seen: MergeEffect }),
    output: z.object({ tag: ManagedTag }),
  }),
};
