import { z } from 'zod';
import type { ChangeKey } from './change-key.ts';
import { operation } from './operation.ts';
import { Cursor, nextCursor } from './paging.ts';
import { Id, Moment, Year } from './values.ts';

/** What a link to a post shows of it. */
const TitledPost = z.object({
  postId: Id,
  /** The title of an essay, the first words of a short post. */
  title: z.string(),
  publishedAt: Moment,
  /** `publishedAt` as text, in the site's time zone. */
  publishedOn: z.string(),
});
export type TitledPost = z.output<typeof TitledPost>;

const Month = z.int().min(1).max(12);

const ArchivedPost = TitledPost.extend({
  /** Month and day of `publishedAt`, in the site's time zone. */
  month: Month,
  day: z.int().min(1).max(31),
});

const count = z.int().positive();

/** The most posts that one call about openings may name: those of many pages. */
const postsAtOnce = 200;

/** What a reader chooses about their own reading. */
const Settings = z.object({
  /** Whether their timeline shows posts of this day in earlier years. */
  showsPast: z.boolean(),
  /** Whether the site remembers, for them alone, when they last opened a post (decision 42). */
  keepsOpened: z.boolean(),
});

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
      /** The year that was asked for; null if there is no post at all. */
      year: Year.nullable(),
      /** The months of this year that have posts, newest first. */
      months: z.array(z.object({ month: Month, count })),
      /** The names of all twelve months, in the language of dates: browsers know fewer languages. */
      monthNames: z.array(z.string()).length(12),
      /** Posts of this year or month, newest first. */
      posts: z.array(ArchivedPost),
      nextCursor,
    }),
    caching: {
      // `settings`: the time zone and the language of dates.
      dependsOn: () => ['timeline', 'tags', 'settings'],
      answerDependsOn: ({ posts }) => keysOf(posts),
    },
  }),
  getNeighbours: operation({
    for: 'anyone',
    scope: 'read',
    summary: 'The previous and the next post among those that the caller may read.',
    input: z.strictObject({ postId: Id }),
    output: z.object({ older: TitledPost.nullable(), newer: TitledPost.nullable() }),
    caching: {
      dependsOn: ({ postId }) => ['timeline', 'tags', 'settings', `post:${postId}`],
      answerDependsOn: ({ older, newer }) => keysOf([older, newer]),
    },
  }),
  getReadingSettings: operation({
    for: 'signed-in',
    scope: 'read',
    summary: 'The caller’s choices about reading.',
    input: z.strictObject({}),
    output: Settings.extend({
      /** Whether the site remembers opened posts at all. */
      mayKeepOpened: z.boolean(),
    }),
  }),
  setReadingSettings: operation({
    for: 'signed-in',
    scope: 'write',
    summary: 'Changes the caller’s choices about reading. Turning off the record of opened posts deletes it.',
    input: z.strictObject({ showsPast: z.boolean().optional(), keepsOpened: z.boolean().optional() }),
    output: Settings,
  }),
  getOnThisDay: operation({
    for: 'signed-in',
    scope: 'read',
    summary: 'One post of this day from each earlier year, if the caller has chosen to see them.',
    input: z.strictObject({}),
    output: z.object({ isShown: z.boolean(), posts: z.array(TitledPost.extend({ year: Year })) }),
    caching: {
      dependsOn: () => [],
      // The answer depends on today's date.
      answerDependsOn: ({ isShown }) => (isShown ? ['now'] : []),
    },
  }),
  noteOpened: operation({
    for: 'signed-in',
    scope: 'write',
    summary: 'Records that the caller has opened these posts. Only the caller can see it.',
    input: z.strictObject({ postIds: z.array(Id).min(1).max(postsAtOnce) }),
  }),
  getReadingMarks: operation({
    for: 'signed-in',
    scope: 'read',
    summary: 'Which of these posts the caller has opened before, and which of them have new comments since.',
    input: z.strictObject({ postIds: z.array(Id).max(postsAtOnce) }),
    output: z.object({
      /** Whether openings are remembered: otherwise the lists are empty, and there is nothing to record. */
      isKept: z.boolean(),
      opened: z.array(Id),
      /** Those of `opened` that were first opened within the last hour, in this visit. */
      openedNow: z.array(Id),
      withNewComments: z.array(Id),
    }),
    caching: {
      // A cached page of one reader depends on `reading:` of their account anyway.
      dependsOn: ({ postIds }) => [
        'tags',
        ...postIds.flatMap((id): ChangeKey[] => [`post:${id}`, `counts:${id}`]),
      ],
      // The hour ends by itself.
      answerDependsOn: ({ openedNow }) => (openedNow.length > 0 ? ['now'] : []),
    },
  }),
  getKeptPosts: operation({
    for: 'approved',
    scope: 'read',
    summary:
      'Which of these posts the caller may still read, for a browser that keeps them for offline reading.',
    input: z.strictObject({ postIds: z.array(Id).max(postsAtOnce) }),
    output: z.object({
      /** Whose answer this is: posts that the browser keeps for another account are to be deleted. */
      userId: Id,
      /** `version` rises when a post is saved. */
      posts: z.array(z.object({ postId: Id, version: z.int() })),
    }),
  }),
  forgetOpened: operation({
    for: 'signed-in',
    scope: 'write',
    summary: 'Deletes the record of the posts that the caller has opened.',
    input: z.strictObject({}),
  }),
};
