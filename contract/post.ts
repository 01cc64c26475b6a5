import { z } from 'zod';
import { CardPicture, ShownIn } from './post-input.ts';
import { Id, Moment } from './values.ts';

export const Attachment = z.object({
  name: z.string(),
  url: z.string(),
  type: z.string(),
  /** Bytes. */
  size: z.int().nonnegative(),
  /** The text below it, such as the caption of a picture. */
  description: z.string().nullable(),
  /** The alternative text of a picture; null if its caption describes it. */
  alt: z.string().nullable(),
  thumbnail: z.string().nullable(),
  /** The size in pixels of a picture or a poster as it is shown: the page reserves the space. */
  width: z.int().positive().nullable(),
  height: z.int().positive().nullable(),
  /** A data URL of some hundred bytes to show while it loads. */
  placeholder: z.string().nullable(),
});
export type Attachment = z.output<typeof Attachment>;

/** What the timeline, a tag's page and the managed list show of a post. */
const summaryFields = {
  id: Id,
  tags: z.array(z.string()),
  isDraft: z.boolean(),
  /** Whether it comes before all others in the timeline. */
  isPinned: z.boolean(),
  shownIn: ShownIn,
  likeCount: z.int().nonnegative(),
  commentCount: z.int().nonnegative(),
  /**
   * The author's name, where posts name their authors (a setting); in the list of those who manage
   * posts, the name of an author who is not the caller. Null where the author's account is deleted.
   */
  authorUsername: z.string().nullable(),
  createdAt: Moment,
  updatedAt: Moment.nullable(),
  /** When it was published: the date that readers see (decision 17). Null for a draft. */
  publishedAt: Moment.nullable(),
};

/** What the timeline and the page of a post show. */
const postFields = {
  ...summaryFields,
  /** Whether the viewer likes it. */
  isLiked: z.boolean(),
  /** Null where `authorUsername` does not name the author, but for those who may edit the post. */
  authorId: Id.nullable(),
  /** The address of the author’s picture, where `authorUsername` names them; null for none. */
  authorFace: z.string().nullable(),
  /**
   * `publishedAt` as text, in the site's time zone; empty for a draft. A browser would have to load its
   * calendars to format it, which takes a slow phone a tenth of a second.
   */
  publishedOn: z.string(),
  attachments: z.array(Attachment),
};

/**
 * Markdown: as written for those who may edit the post; for others without what `html` does not show
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

/** A picture beside a preview, with its size; `sources` are its smaller sizes as a `srcset`. */
const PreviewPicture = z.object({
  src: z.string(),
  sources: z.string().nullable(),
  width: z.int(),
  height: z.int(),
});
export type PreviewPicture = z.output<typeof PreviewPicture>;

/** An essay in a list is a preview: its text is on its own page (decision 21). */
const EssayPreview = z.object({
  ...postFields,
  type: z.literal('essay'),
  title: z.string(),
  description: z.string(),
  /** The picture of its text that its author has chosen, or the first one. */
  picture: PreviewPicture.nullable(),
  /** How long reading it takes, in minutes. */
  minutes: z.int().positive(),
  /** The languages of its title and description as BCP 47 tags, where they are clear and not English. */
  language: z.string().optional(),
  descriptionLanguage: z.string().optional(),
});

export const ListedPost = z.discriminatedUnion('type', [ShortPost, EssayPreview]);
export type ListedPost = z.output<typeof ListedPost>;

const pageFields = {
  /** The first words of the content, without markup. */
  excerpt: z.string(),
  /** Rises with each save. If it is sent with `updatePost`, a save based on an older version is refused. */
  version: z.int(),
  /**
   * The ids of `tags`, in the same order, for those who may edit the post. An editor sends them back, so that
   * a tag that was renamed meanwhile stays the same tag. Absent if no Markdown was asked for.
   */
  tagIds: z.array(Id).optional(),
  /** Whether mails hold only its beginning. Present whenever `tagIds` is. */
  mailsBeginning: z.boolean().optional(),
  /** The choice of the picture beside its preview. Present whenever `tagIds` is. */
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
    /** Whether its author wants no picture; `picture` is also null if none has a known size. */
    hidesPicture: z.boolean(),
  }),
]);
export type Post = z.output<typeof Post>;

/** How a list of the caller's own likes or comments names a post. */
export const namedPost = {
  postId: Id,
  /** The title of an essay, the first characters of a short post. */
  postTitle: z.string(),
  /** Whether `postTitle` ends before the text does. */
  isCut: z.boolean(),
};
export type NamedPost = z.output<z.ZodObject<typeof namedPost>>;

/** A post in the list of those who manage it. */
export const ManagedPost = z.object({
  ...summaryFields,
  type: z.enum(['short', 'essay']),
  /** Null for a short post. */
  title: z.string().nullable(),
  /** The description of an essay; the first words of a short post. */
  excerpt: z.string(),
});
export type ManagedPost = z.output<typeof ManagedPost>;
