import { z } from 'zod';
import { tagsAllowed, tagsPerPost } from './constants.ts';
import { operation } from './operation.ts';
import { TagName } from './tags.ts';
import { Id } from './values.ts';

/** Who may read a published post with certain tags. */
export const Readership = z.object({
  /** Whether everybody may, visitors included. */
  isPublic: z.boolean(),
  /** Approved members who may; admins, who read everything, are not counted. */
  memberCount: z.int().nonnegative(),
  memberTotal: z.int().nonnegative(),
  /** The tags that keep visitors out. */
  restrictedBy: z.array(z.string()),
});
export type Readership = z.output<typeof Readership>;

/** What other tags change for those who may read one published post. */
export const PostEffect = z.object({
  wasPublic: z.boolean(),
  isPublic: z.boolean(),
  /** Approved members who may read it and could not, and the other way round: both, where readers are swapped. */
  membersGained: z.int().nonnegative(),
  membersLost: z.int().nonnegative(),
});
export type PostEffect = z.output<typeof PostEffect>;

/** Numbers of published posts that a change lets somebody read, and takes from them. */
export const Effect = z.object({ gained: z.int().nonnegative(), lost: z.int().nonnegative() });
export type Effect = z.output<typeof Effect>;

/** Names of tags that somebody is or would be allowed; one that is named twice counts once. */
export const AllowedTags = z
  .array(TagName)
  .max(tagsAllowed, `At most ${tagsAllowed} tags can be allowed at once.`);

/** What a change would do, told before it is saved (decisions.md 6). None of these changes anything. */
export const effectOperations = {
  describeAudience: operation({
    for: 'author',
    scope: 'read',
    summary: 'Who may read a published post with these tags.',
    input: z.strictObject({ tags: z.array(TagName).max(tagsPerPost) }),
    output: Readership,
  }),
  previewPostTags: operation({
    for: 'author',
    scope: 'read',
    summary: 'Who would gain and lose a published post by these tags instead of those that it has.',
    input: z.strictObject({
      tags: z.array(TagName).max(tagsPerPost),
      /** The tags that the post has, as the author knows them. */
      seenTags: z.array(TagName).max(tagsPerPost),
    }),
    output: PostEffect,
  }),
  previewDefaultTags: operation({
    for: 'admin',
    scope: 'read',
    summary: 'What visitors and members would gain and lose by these default tags.',
    input: z.strictObject({ tags: AllowedTags }),
    output: z.object({
      visitors: Effect,
      /** Posts that visitors do not see before nor after, but at least one member gains or loses. */
      members: Effect,
    }),
  }),
  previewNewMember: operation({
    for: 'admin',
    scope: 'members',
    summary: 'What somebody who joins and is allowed these tags could read beside what everybody may.',
    input: z.strictObject({ tags: AllowedTags }),
    output: z.object({ gained: z.int().nonnegative() }),
  }),
  previewApprovedTags: operation({
    for: 'admin',
    scope: 'members',
    summary: 'What an account would gain and lose if it were approved with these tags.',
    input: z.strictObject({ userId: Id, tags: AllowedTags }),
    output: Effect.extend({
      /** False where nobody has shown that they read the mailbox of the account: it may be somebody else's. */
      isEmailConfirmed: z.boolean(),
    }),
  }),
};
