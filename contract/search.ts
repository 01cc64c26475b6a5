import { z } from 'zod';
import { searchMaxCharacters, searchPages } from './constants.ts';
import { operation } from './operation.ts';
import { Id, Year } from './values.ts';

/** A text in pieces, the matching ones marked. */
const Parts = z.array(z.object({ text: z.string(), isMarked: z.boolean() }));
export type Parts = z.output<typeof Parts>;

const FoundPost = z.object({
  id: Id,
  type: z.enum(['short', 'essay']),
  /** Null for a short post. */
  title: Parts.nullable(),
  /** The sentence that holds the words; the beginning of the post if they are elsewhere, or its date. */
  excerpt: Parts,
  tags: z.array(z.string()),
  isDraft: z.boolean(),
  /** The date of publication as text, in the site's time zone; empty for a draft. */
  publishedOn: z.string(),
});
export type FoundPost = z.output<typeof FoundPost>;

const FoundComment = z.object({
  id: Id,
  postId: Id,
  /** The title of an essay, the first words of a short post. */
  postTitle: z.string(),
  excerpt: Parts,
  createdOn: z.string(),
});
export type FoundComment = z.output<typeof FoundComment>;

export const searchOperations = {
  search: operation({
    for: 'anyone',
    scope: 'read',
    summary:
      'A page of ten posts that the caller may read and that hold all of these words, best first, with comments of the caller’s own. Without words all posts of the filters, newest first.',
    input: z.strictObject({
      /** Words, or beginnings of words. */
      q: z.string().max(searchMaxCharacters),
      tag: z.string().max(1_000).optional(),
      type: z.enum(['short', 'essay']).optional(),
      /** Only posts of this year, in the site's time zone. */
      year: Year.optional(),
      withPictures: z.boolean().default(false),
      page: z.int().min(1).max(searchPages).default(1),
    }),
    output: z.object({
      posts: z.array(FoundPost),
      hasNextPage: z.boolean(),
      /** The newest comments that hold all words; only without filters, and on the first page. */
      comments: z.array(FoundComment),
      /**
       * The probable spelling if nothing holds the words; then `posts` are those that hold it. Made of words
       * of posts that the caller may read.
       */
      suggestion: z.string().nullable(),
      /** The years in which the caller may read posts, newest first. */
      years: z.array(Year),
    }),
  }),
};
