import { z } from 'zod';
import type { ChangeKey } from './change-key.ts';
import { operation } from './operation.ts';
import { Cursor, nextCursor } from './paging.ts';
import { Id, Moment } from './values.ts';

/** A post as a link to it names it. */
const TitledPost = z.object({
  postId: Id,
  /** The title of an essay, the first words of a short post. */
  title: z.string(),
  publishedAt: Moment,
  /** `publishedAt` as text, in the site's time zone. */
  publishedOn: z.string(),
});
export type TitledPost = z.output<typeof TitledPost>;

const Year = z.int().min(1).max(9_999);
const Month = z.int().min(1).max(12);

const ArchivedPost = TitledPost.extend({
  /** Month and day of `publishedAt`, in the site's time zone. */
  month: Month,
  day: z.int().min(1).max(31),
});

const count = z.int().positive();

const keysOf = (posts: readonly ({ postId: string } | null)[]) =>
  posts.flatMap((post): ChangeKey[] => (post === null ? [] : [`post:${post.postId}`]));

export const readingOperations = {
  getArchive: operation({
    for: 'anyone',
    scope: 'read',
    summary: 'How many posts the caller may read, by year and month, and the titles of a year or month.',
    input: z.strictObject({
      /** The newest year with posts, if left out. */
      year: Year.nullish(),
      /** A month of `year`; all of them, if left out. */
      month: Month.nullish(),
      after: Cursor.nullish(),
    }),
    output: z.object({
      /** The years with posts, newest first. */
      years: z.array(z.object({ year: Year, count })),
      /** The year that is asked for; null where there is no post at all. */
      year: Year.nullable(),
      /** The months of this year that have posts, newest first. */
      months: z.array(z.object({ month: Month, count })),
      /** Posts of this year or month, newest first. */
      posts: z.array(ArchivedPost),
      nextCursor,
    }),
    caching: {
      dependsOn: () => ['timeline', 'tags'],
      answerDependsOn: ({ posts }) => keysOf(posts),
    },
  }),
  getNeighbours: operation({
    for: 'anyone',
    scope: 'read',
    summary: 'The posts before and after a post, of those that the caller may read.',
    input: z.strictObject({ postId: Id }),
    output: z.object({ older: TitledPost.nullable(), newer: TitledPost.nullable() }),
    caching: {
      dependsOn: ({ postId }) => ['timeline', 'tags', `post:${postId}`],
      answerDependsOn: ({ older, newer }) => keysOf([older, newer]),
    },
  }),
};
