import { z } from 'zod';
import { Effect } from './effects.ts';
import { operation } from './operation.ts';
import { ManagedTag } from './tags.ts';
import { Id } from './values.ts';

const count = z.int().nonnegative();

/** Who would read more and less by a merge. Strict, because the merge takes it as the admin has seen it. */
export const MergeEffect = z.strictObject({
  visitors: z.strictObject(Effect.shape),
  /** Posts that stay closed to visitors and that members gain, and how many members gain any. */
  members: z.strictObject({ gained: count, members: count }),
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
