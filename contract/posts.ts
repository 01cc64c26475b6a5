import { z } from 'zod';
import type { ChangeKey } from './change-key.ts';
import { contentMaxCharacters, searchMaxCharacters, tagsPerFilter } from './constants.ts';
import { operation } from './operation.ts';
import { Cursor, nextCursor } from './paging.ts';
import { CardPicture, PostInput, ShownIn } from './post-input.ts';
import { Id, Moment } from './values.ts';

export const Attachment = z.object({
  name: z.string(),
  url: z.string(),
  /** Media type. */
  type: z.string(),
  /** Bytes. */
  size: z.int().nonnegative(),
  description: z.string().nullable(),
  thumbnail: z.string().nullable(),
  /** The size in pixels of a picture or a poster as it is shown: the page reserves the space. */
  width: z.int().positive().nullable(),
  height: z.int().positive().nullable(),
  /** What to show until it is loaded: a data URL of some hundred bytes. */
  placeholder: z.string().nullable(),
});
export type Attachment = z.output<typeof Attachment>;

/** What every list of posts shows, including the list in which posts are managed. */
const summaryFields = {
  id: Id,
  tags: z.array(z.string()),
  isDraft: z.boolean(),
  /** Whether it stands before all others in the timeline. */
  isPinned: z.boolean(),
  shownIn: ShownIn,
  likeCount: z.int().nonnegative(),
  commentCount: z.int().nonnegative(),
  /**
   * The author's name, where posts name their authors (`setNamesAuthors`); in the list of those who manage
   * posts, the name of an author who is not the caller. Null where the author's account is deleted.
   */
  authorUsername: z.string().nullable(),
  createdAt: Moment,
  updatedAt: Moment.nullable(),
  /** When it was published: the date that readers see (decisions.md 17). Null for a draft. */
  publishedAt: Moment.nullable(),
};

/** What the timeline and the page of a post show. */
const postFields = {
  ...summaryFields,
  /** Whether the viewer likes it. */
  isLiked: z.boolean(),
  authorId: Id.nullable(),
  /** The address of the author’s picture, where `authorUsername` names them; null for none. */
  authorFace: z.string().nullable(),
  /**
   * `publishedAt` as text, in the site's time zone; empty for a draft. To format it, a browser would first
   * load its calendars, which takes a slow phone a tenth of a second.
   */
  publishedOn: z.string(),
  attachments: z.array(Attachment),
};

/**
 * Markdown: as written for those who may edit the post, for all others without what does not show in `html`
 * (comments, unused definitions and the like). Absent if it was not asked for.
 */
const Content = z.string().optional();

const ShortPost = z.object({
  ...postFields,
  type: z.literal('short'),
  title: z.null(),
  description: z.null(),
  content: Content,
  /** Rendered and sanitised. */
  html: z.string(),
});

/** A picture beside a preview, with its size; `sources` are its smaller sizes, as in `srcset`. */
const PreviewPicture = z.object({
  src: z.string(),
  sources: z.string().nullable(),
  width: z.int(),
  height: z.int(),
});
export type PreviewPicture = z.output<typeof PreviewPicture>;

/** An essay in a list is a preview: its text is on its own page (decisions.md 21). */
const EssayPreview = z.object({
  ...postFields,
  type: z.literal('essay'),
  title: z.string(),
  description: z.string(),
  /** The picture that its author has chosen of its text, or the first one. */
  picture: PreviewPicture.nullable(),
  /** How long reading it takes, in minutes. */
  minutes: z.int().positive(),
  /** The language of its text, as HTML names it, where that is clear and not English. In lists alone. */
  language: z.string().optional(),
});

export const ListedPost = z.discriminatedUnion('type', [ShortPost, EssayPreview]);
export type ListedPost = z.output<typeof ListedPost>;

const pageFields = {
  /** The first words of the content, without markup. */
  excerpt: z.string(),
  /** Rises with each save. If it is sent with `updatePost`, a save after somebody else's is refused. */
  version: z.int(),
  /**
   * The ids of `tags`, in the same order, for those who may edit the post. An editor sends them back, so that
   * a tag that was renamed meanwhile stays the same tag. Absent where no Markdown was asked for.
   */
  tagIds: z.array(Id).optional(),
  /** Whether mails hold only its beginning; with `tagIds`. */
  mailsBeginning: z.boolean().optional(),
  /** Which picture stands beside its preview; with `tagIds`. */
  cardPicture: CardPicture.optional(),
  /** What this viewer may do with it. */
  can: z.object({ edit: z.boolean() }),
};

export const Post = z.discriminatedUnion('type', [
  z.object({ ...ShortPost.shape, ...pageFields }),
  z.object({
    ...EssayPreview.shape,
    content: Content,
    html: z.string(),
    ...pageFields,
    /** Whether its author wants none; `picture` is also null where none has a known size. */
    hidesPicture: z.boolean(),
  }),
]);
export type Post = z.output<typeof Post>;

/** How a list of one's own likes or comments names a post. */
export const namedPost = {
  postId: Id,
  /** The title of an essay, the first characters of a short post. */
  postTitle: z.string(),
  /** Whether `postTitle` stops before the text does. */
  isCut: z.boolean(),
};
export type NamedPost = z.output<z.ZodObject<typeof namedPost>>;

/** A post in the list of those who manage it. */
const ManagedPost = z.object({
  ...summaryFields,
  type: z.enum(['short', 'essay']),
  /** Null for a short post. */
  title: z.string().nullable(),
  /** The description of an essay; the first words of a short post. */
  excerpt: z.string(),
});
export type ManagedPost = z.output<typeof ManagedPost>;

const Page = z.int().min(1).max(1_000_000);

const ownFields: ReadonlySet<string> = new Set(['likeCount', 'commentCount', 'isLiked']);

const keysOfPost = (id: string): ChangeKey[] => [`post:${id}`, `counts:${id}`];

/** The changes after which the byline of a post may differ. */
export function keysOfByline(post: { authorId: string | null; authorUsername: string | null }): ChangeKey[] {
  return post.authorUsername === null || post.authorId === null ? [] : [`viewer:${post.authorId}`];
}

/** Pages show `html` and ask for no Markdown. */
const WithContent = z.boolean().default(true);

export const postOperations = {
  getPosts: operation({
    for: 'anyone',
    scope: 'read',
    summary: 'A page of ten posts that the caller may read: pinned ones first, then newest first.',
    // The only input that accepts unknown fields: older callers send what they think they may see.
    input: z.object({
      page: Page.default(1),
      /** Posts with any of these tags; null or empty for all. */
      filtTags: z.array(z.string().max(1_000)).max(tagsPerFilter).nullish(),
      /** Continues after the last post of an earlier page; `page` is then ignored. */
      after: Cursor.nullish(),
      withContent: WithContent,
      /** The management list, drafts included: refused unless the caller is an admin. */
      isAdmin: z.boolean().nullish(),
      /** Sent by older callers, trusted from none (decisions.md 1). */
      defaultTags: z.unknown().optional(),
      currentUser: z.unknown().optional(),
    }),
    output: z.object({
      posts: z.array(ListedPost),
      hasNextPage: z.boolean(),
      nextCursor,
    }),
    caching: {
      // `settings`: whether posts name their authors.
      dependsOn: () => ['timeline', 'tags', 'settings'],
      answerDependsOn: ({ posts }) => posts.flatMap(post => [...keysOfPost(post.id), ...keysOfByline(post)]),
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
      dependsOn: ({ postId }) => ['tags', 'settings', ...keysOfPost(postId)],
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
      /** How many there are on all pages; null where a search finds more than are counted. */
      total: z.int().nonnegative().nullable(),
      /** Who has written posts, for admins; an author has written all that they see. */
      authors: z.array(z.object({ id: Id, username: z.string() })),
    }),
  }),
  previewPost: operation({
    for: 'author',
    scope: 'read',
    summary: 'What a text will look like, rendered as when it is saved.',
    input: z.strictObject({
      content: z.string().max(contentMaxCharacters),
      /** A short post keeps its lines; left out, it is an essay. */
      type: z.enum(['short', 'essay']).default('essay'),
    }),
    output: z.object({ html: z.string() }),
  }),
  createPost: operation({
    for: 'author',
    scope: 'write',
    summary: 'Publishes a new post, or saves it as a draft. With `saveKey`, safe to repeat.',
    input: z.intersection(
      PostInput,
      z.strictObject({
        /**
         * A key that the editor made. If a post with it exists, that one is saved instead of making a second
         * one.
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
        /** Mails a published post to subscribers who may read it by now and were not told of it. */
        tellsNewReaders: z.boolean().optional(),
      }),
    ),
    output: z.object({ post: Post }),
  }),
  setPinned: operation({
    for: 'author',
    scope: 'write',
    summary:
      'Lets a post of the caller’s own, or any as an admin, stand before all others in the timeline, or no longer.',
    input: z.strictObject({ postId: Id, isPinned: z.boolean() }),
    output: z.object({}),
  }),
  deletePost: operation({
    for: 'author',
    scope: 'write',
    asksAgain: true,
    summary:
      'Deletes a post of the caller’s own, or any as an admin, with its comments, likes and attachments.',
    input: z.strictObject({ postId: Id }),
    output: z.object({}),
  }),
};
