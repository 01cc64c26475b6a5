import { z } from 'zod';
import { tagMaxCharacters, tagsPerPost } from './constants.ts';
import { operation } from './operation.ts';
import { tagName } from './tag-name.ts';
import { isWithin } from './text.ts';
import { Id, visible, writtenName } from './values.ts';

/** A tag's name: trimmed, NFC, 1 to 50 characters without control characters (decision 4). */
export const TagName = writtenName('A tag', tagMaxCharacters)
  .transform(tagName)
  .pipe(
    visible('A tag')
      .min(1, 'A tag needs a name.')
      .refine(name => isWithin(name, tagMaxCharacters), `A tag has at most ${tagMaxCharacters} characters.`)
      // In the address of its page, a browser takes these for the folder and the one above it.
      .refine(name => name !== '.' && name !== '..', 'A tag needs more than dots.'),
  );

const tooMany = `A post has at most ${tagsPerPost} tags.`;

export const PostTags = z.array(TagName).max(tagsPerPost, tooMany);

/**
 * The ids of a post's tags, in the order of their names. An id names its tag even if it was renamed; null, or
 * no id, means the tag of this name.
 */
export const PostTagIds = z.array(Id.nullable()).max(tagsPerPost, tooMany).optional();

export const Tag = z.object({
  id: Id,
  name: z.string(),
  /** Published posts with this tag that the viewer may read. */
  postCount: z.int(),
});
export type Tag = z.output<typeof Tag>;

/** A listed tag with the numbers that admins see. */
export const ManagedTag = z.object({
  id: Id,
  name: z.string(),
  publishedCount: z.int().nonnegative(),
  draftCount: z.int().nonnegative(),
  /** Accounts that have it as an approved tag. */
  userCount: z.int().nonnegative(),
  isDefault: z.boolean(),
});
export type ManagedTag = z.output<typeof ManagedTag>;

export const tagOperations = {
  getTags: operation({
    for: 'anyone',
    scope: 'read',
    summary:
      'The tags of posts that the caller may read, by name; for an author also those that they were allowed, and all tags for an admin.',
    output: z.object({ tags: z.array(Tag) }),
    caching: { dependsOn: () => ['tags', 'published'] },
  }),
  getManagedTags: operation({
    for: 'admin',
    scope: 'read',
    summary: 'All listed tags by name, with the numbers of posts and users that carry them.',
    output: z.object({ tags: z.array(ManagedTag) }),
  }),
  addTag: operation({
    for: 'admin',
    scope: 'write',
    summary: 'Adds a tag. Adding a deleted one restores it.',
    input: z.strictObject({ name: TagName }),
    output: z.object({
      tag: ManagedTag,
      /** Whether it existed before and was deleted: then it still has its posts and users. */
      isRestored: z.boolean(),
    }),
  }),
  renameTag: operation({
    for: 'admin',
    scope: 'write',
    summary: 'Renames a tag on every post. Who may read what does not change.',
    input: z.strictObject({ tagId: Id, name: TagName }),
    output: z.object({ tag: ManagedTag }),
  }),
  deleteTag: operation({
    for: 'admin',
    scope: 'write',
    summary: 'Removes a tag from the list. Posts and members keep it.',
    input: z.strictObject({ tagId: Id }),
  }),
};
