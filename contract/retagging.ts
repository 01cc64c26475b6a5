import { z } from 'zod';
import { postsRetaggedAtOnce, tagsAllowed, tagsPerPost } from './constants.ts';
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

const RetagEffect = AudienceEffect.extend({
  /** Posts that would have no tag any more, so that everybody may read them; drafts once published. */
  untagged: z.strictObject({ published: count, drafts: count }),
});
export type RetagEffect = z.output<typeof RetagEffect>;

/** A change of the tags of several posts. What it does not name stays as it is on each. */
const Retag = z.strictObject({
  postIds: z
    .array(Id)
    .min(1, 'Choose at least one post.')
    .max(postsRetaggedAtOnce, `At most ${postsRetaggedAtOnce} posts are changed at once.`),
  addedTagIds: z.array(Id).max(tagsPerPost, `A post has at most ${tagsPerPost} tags.`),
  removedTagIds: z.array(Id).max(tagsAllowed, `At most ${tagsAllowed} tags are removed at once.`),
});
export type Retag = z.output<typeof Retag>;

export const retaggingOperations = {
  previewRetag: operation({
    for: 'admin',
    scope: 'read',
    summary:
      'What adding and removing tags of these posts would open and close, and the tags that they have now. It changes nothing.',
    input: Retag,
    output: z.object({
      postCount: count,
      /** The tags that any of them has, by name, deleted ones included, and how many have each. */
      tags: z.array(z.object({ id: Id, name: z.string(), isListed: z.boolean(), postCount: count })),
      effect: RetagEffect,
    }),
  }),
  retagPosts: operation({
    for: 'admin',
    scope: 'write',
    summary:
      'Adds and removes tags of these posts. Deleted posts are left out. Refused if its effect is no longer the one that the caller has seen.',
    input: Retag.extend({ seen: RetagEffect }),
    output: z.object({
      /** How many posts have other tags than before. */
      changed: count,
    }),
  }),
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
