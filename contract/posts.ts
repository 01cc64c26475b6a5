import { z } from 'zod';
import type { ChangeKey } from './change-key.ts';
import { contentMaxCharacters, searchMaxCharacters, tagsPerFilter } from './constants.ts';
import { operation } from './operation.ts';
import { Cursor, nextCursor } from './paging.ts';
import { ListedPost, ManagedPost, Post } from './post.ts';
import { PostInput, ShownIn } from './post-input.ts';
import { Id } from './values.ts';

const Page = z.int().min(1).max(1_000_000);

const ownFields: ReadonlySet<string> = new Set(['likeCount', 'commentCount', 'isLiked']);

/** The changes after which a list of posts may differ. `settings`: whether posts name their authors. */
export const keysOfList = (): ChangeKey[] => ['timeline', 'tags', 'settings'];

/** The changes after which the page of a post may differ, except in its counts and its byline. */
export const keysOfPost = (id: string): ChangeKey[] => [`post:${id}`, 'tags', 'settings'];

type Bylined = { authorId: string | null; authorUsername: string | null };

/** The changes after which the byline of a post may differ. */
export function keysOfByline(post: Bylined): ChangeKey[] {
  return post.authorUsername === null || post.authorId === null ? [] : [`viewer:${post.authorId}`];
}

/** The changes after which a post in a list may differ, except in its counts. */
export const keysOfListedPost = (post: Bylined & { id: string }): ChangeKey[] => [
  `post:${post.id}`,
  ...keysOfByline(post),
];

/** Pages show `html` and ask for no Markdown. */
const WithContent = z.boolean().default(true);

export const postOperations = {
  getPosts: operation({
    for: 'anyone',
    scope: 'read',
    summary: 'A page of ten posts that the caller may read: pinned ones first, then newest first.',
    // The only input that accepts unknown fields: older clients send what they believe they may see.
    input: z.object({
      page: Page.default(1),
      /** Posts with any of these tags; null or empty for all. */
      filtTags: z.array(z.string().max(1_000)).max(tagsPerFilter).nullish(),
      /** Continues after the last post of an earlier page; `page` is then ignored. */
      after: Cursor.nullish(),
      withContent: WithContent,
      /** Not who asks: the old list of all posts, drafts too, for admins only. Screens use `listPosts`. */
      isAdmin: z.boolean().nullish(),
      /** Sent by older clients; ignored (decision 1). */
      defaultTags: z.unknown().optional(),
      currentUser: z.unknown().optional(),
    }),
    output: z.object({
      posts: z.array(ListedPost),
      hasNextPage: z.boolean(),
      nextCursor,
    }),
    caching: {
      dependsOn: keysOfList,
      answerDependsOn: ({ posts }) =>
        posts.flatMap((post): ChangeKey[] => [...keysOfListedPost(post), `counts:${post.id}`]),
      ownFields,
    },
  }),
  getPost: operation({
    for: 'anyone',
    scope: 'read',
    summary: 'One post with its content.',
    input: z.strictObject({ postId: Id, withContent: WithContent }),
    output: z.object({ post: Post }),
    caching: {
      dependsOn: ({ postId }) => [...keysOfPost(postId), `counts:${postId}`],
      answerDependsOn: ({ post }) => keysOfByline(post),
      ownFields,
    },
  }),
  getPages: operation({
    for: 'anyone',
    scope: 'read',
    summary: 'The published essays that the caller may read in the navigation and the footer, oldest first.',
    input: z.strictObject({}),
    output: z.object({ pages: z.array(z.object({ postId: Id, title: z.string(), shownIn: ShownIn })) }),
    caching: {
      dependsOn: () => ['timeline', 'tags'],
      answerDependsOn: ({ pages }) => pages.map(({ postId }): ChangeKey => `post:${postId}`),
    },
  }),
  listPosts: operation({
    for: 'author',
    scope: 'read',
    summary:
      'A page of ten posts, drafts included, newest first by creation: an author gets their own, an admin all.',
    input: z.strictObject({
      filter: z.enum(['all', 'published', 'drafts']).default('all'),
      page: Page.default(1),
      /** Only posts that hold all of these words in title, description or content. */
      search: z.string().max(searchMaxCharacters).default(''),
      /** Only posts of this kind, with this tag, by this account. */
      type: z.enum(['short', 'essay']).nullish(),
      tag: z.string().max(1_000).nullish(),
      authorId: Id.nullish(),
    }),
    output: z.object({
      posts: z.array(ManagedPost),
      hasNextPage: z.boolean(),
      /** How many there are on all pages; null if a search finds more than are counted. */
      total: z.int().nonnegative().nullable(),
      /** The authors of posts, for admins; an author sees only their own posts. */
      authors: z.array(z.object({ id: Id, username: z.string() })),
      /** The deleted tags that posts still carry; for an author their own posts. */
      deletedTags: z.array(z.string()),
    }),
  }),
  previewPost: operation({
    for: 'author',
    scope: 'read',
    summary: 'Renders a text as saving it would, for a preview.',
    input: z.strictObject({
      content: z.string().max(contentMaxCharacters),
      /** The line breaks of a short post are kept; an essay if left out. */
      type: z.enum(['short', 'essay']).default('essay'),
    }),
    output: z.object({
      html: z.string(),
      /** Where its outermost elements begin, so that only changed ones are replaced. */
      blockStarts: z.array(z.int().nonnegative()),
    }),
  }),
  createPost: operation({
    for: 'author',
    scope: 'write',
    summary: 'Publishes a new post, or saves it as a draft. With `saveKey`, safe to repeat.',
    input: z.intersection(
      PostInput,
      z.strictObject({
        /**
         * A key that the editor made. If a post with this key exists, it is saved instead of a second one
         * being made.
         */
        saveKey: Id.optional(),
      }),
    ),
    output: z.object({ post: Post }),
  }),
  updatePost: operation({
    for: 'author',
    scope: 'write',
    summary:
      'Saves a post of the caller’s own, or any as an admin. With `version`, refuses to overwrite a newer one.',
    input: z.intersection(
      PostInput,
      z.strictObject({
        postId: Id,
        version: z.int().optional(),
        /**
         * Whether to mail a published post to subscribers who may read it now and were not mailed about it.
         */
        tellsNewReaders: z.boolean().optional(),
      }),
    ),
    output: z.object({ post: Post }),
  }),
  setPinned: operation({
    for: 'author',
    scope: 'write',
    summary: 'Pins a post to the top of the timeline, or unpins it: the caller’s own, or any for an admin.',
    input: z.strictObject({ postId: Id, isPinned: z.boolean() }),
  }),
  deletePost: operation({
    for: 'author',
    scope: 'write',
    asksAgain: true,
    summary:
      'Deletes a post of the caller’s own, or any as an admin, with its comments, likes and attachments.',
    input: z.strictObject({ postId: Id }),
  }),
};
