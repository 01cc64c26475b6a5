import { z } from 'zod';
import { namedReaders, tagsAllowed } from './constants.ts';
import { operation } from './operation.ts';
import { PostTagIds, PostTags, TagName } from './tags.ts';
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

/** The members whom a {@link Readership} counts, by their full names. */
export const Readers = z.object({ names: z.array(z.string()), total: z.int().nonnegative() });
export type Readers = z.output<typeof Readers>;

/** Who gains and who loses a published post when its tags change. */
export const PostEffect = z.object({
  wasPublic: z.boolean(),
  isPublic: z.boolean(),
  /** How many approved members may newly read it, and how many may no longer. */
  membersGained: z.int().nonnegative(),
  membersLost: z.int().nonnegative(),
});
export type PostEffect = z.output<typeof PostEffect>;

/** How many published posts somebody gains and loses by a change. */
export const Effect = z.object({ gained: z.int().nonnegative(), lost: z.int().nonnegative() });
export type Effect = z.output<typeof Effect>;

/** Names of approved or default tags; a name that occurs twice counts once. */
export const AllowedTags = z
  .array(TagName)
  .max(tagsAllowed, `At most ${tagsAllowed} tags can be allowed at once.`);

/**
 * The ids of these tags, in the order of their names, as the caller has seen them. If a name no longer
 * belongs to its id, the call is refused, so that nobody allows another tag. Null, or no id, means the tag of
 * this name.
 */
export const AllowedTagIds = z
  .array(Id.nullable())
  .max(tagsAllowed, `At most ${tagsAllowed} tags can be allowed at once.`)
  .optional();

/** Previews of what a change would do (decision 6). None of these operations changes anything. */
export const effectOperations = {
  describeAudience: operation({
    for: 'author',
    scope: 'read',
    summary: 'Who may read a published post with these tags.',
    input: z.strictObject({ tags: PostTags, tagIds: PostTagIds }),
    output: Readership,
  }),
  listReaders: operation({
    for: 'admin',
    scope: 'members',
    summary: `The full names of members who may read a published post with these tags, at most ${namedReaders}.`,
    input: z.strictObject({ tags: PostTags, tagIds: PostTagIds }),
    output: Readers,
  }),
  previewPostTags: operation({
    for: 'author',
    scope: 'read',
    summary: 'Who would gain and lose a published post by these tags instead of those that it has.',
    input: z.strictObject({
      tags: PostTags,
      tagIds: PostTagIds,
      seenTags: PostTags,
      seenTagIds: PostTagIds,
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
      /**
       * Posts that at least one member gains or loses and that visitors may read neither before nor after.
       */
      members: Effect,
    }),
  }),
  previewNewMember: operation({
    for: 'admin',
    scope: 'members',
    summary: 'How many posts a new member with these tags could read in addition to what everybody may read.',
    input: z.strictObject({ tags: AllowedTags }),
    output: z.object({ gained: z.int().nonnegative() }),
  }),
  previewApprovedTags: operation({
    for: 'admin',
    scope: 'members',
    summary: 'What an account would gain and lose if it were approved with these tags.',
    input: z.strictObject({ userId: Id, tags: AllowedTags }),
    output: Effect.extend({
      /** False if the email address is not confirmed: it may belong to somebody else. */
      isEmailConfirmed: z.boolean(),
    }),
  }),
};
