import { z } from 'zod';
import { CardPicture, ShownIn } from './post-input.ts';
import { Id, Moment } from './values.ts';

export const Attachment = z.object({
  name: z.string(),
  url: z.string(),
  /** Media type. */
  type: z.string(),
  /** Bytes. */
  size: z.int().nonnegative(),
  /** What stands below it: the caption of a picture. */
  description: z.string().nullable(),
  /** What is on a picture, for those who do not see it; null where its caption says it. */
  alt: z.string().nullable(),
  thumbnail: z.string().nullable(),
  /** The size in pixels of a picture or a poster as it is shown: the page reserves the space. */
  width: z.int().positive().nullable(),
  height: z.int().positive().nullable(),
  /** What to show until it is loaded: a data URL of some hundred bytes. */
  placeholder: z.string().nullable(),
});
export type Attachment = z.output<typeof Attachment>;

/** What the timeline, a tag's page and the managed list show of a post. */
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
   * The author's name, where posts name their authors (a setting); in the list of those who manage
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
export const ManagedPost = z.object({
  ...summaryFields,
  type: z.enum(['short', 'essay']),
  /** Null for a short post. */
  title: z.string().nullable(),
  /** The description of an essay; the first words of a short post. */
  excerpt: z.string(),
});
export type ManagedPost = z.output<typeof ManagedPost>;
