import { z } from 'zod';
import {
  attachmentDescriptionMaxCharacters,
  attachmentsPerPost,
  contentMaxCharacters,
  descriptionMaxCharacters,
  titleMaxCharacters,
} from './constants.ts';
import { PostTagIds, PostTags } from './tags.ts';
import { isWithin, oneLine } from './text.ts';
import { hasVisible, storable, withoutBidiControls } from './values.ts';

const content = storable('The content')
  .max(contentMaxCharacters, `A post has at most ${contentMaxCharacters.toLocaleString('en-US')} characters.`)
  .refine(hasVisible, 'Content is required.');
const within = (what: string, max: number) =>
  storable(what).refine(text => isWithin(text, max), `${what} has at most ${max} characters.`);
const line = (what: string, max: number) =>
  z
    .string()
    .transform(text => oneLine(withoutBidiControls(text)).replaceAll(/\p{Cc}/gu, ''))
    .pipe(within(what, max));
const lineOfEssay = (what: string, max: number) =>
  line(what, max).pipe(z.string().refine(hasVisible, `${what} is required for an essay.`));
/** An empty text is none, and so is null. */
const orNone = (text: z.ZodType<string, string>) => text.transform(words => words || null).nullable();
const wordsOfFile = orNone(
  z
    .string()
    .transform(text => text.trim())
    .pipe(within('A description', attachmentDescriptionMaxCharacters)),
);
/** A file on a post, by its address. The server determines its type; an author only describes it. */
const AttachmentInput = z.strictObject({
  url: z.string().min(1).max(2_000),
  /** The text below it, such as the caption of a picture. */
  description: wordsOfFile,
  /** The alternative text of a picture. If left out, the existing one stays. */
  alt: wordsOfFile.optional(),
  /** The poster of a video: an uploaded file. If left out, the existing one stays. */
  thumbnail: z.string().min(1).max(2_000).nullish(),
});
export type AttachmentInput = z.output<typeof AttachmentInput>;

/**
 * Where readers find a post. An essay in the navigation or the footer is a page: no list by date shows it.
 */
export const ShownIn = z.enum(['timeline', 'navigation', 'footer']);
export type ShownIn = z.output<typeof ShownIn>;

/** The picture beside the preview of an essay: an address in its text, or `none`; null for the first one. */
export const CardPicture = storable('The picture').min(1).max(2_000).nullable();

/**
 * A field that a save leaves out stays as it is: a program or an open editor that does not know it yet
 * removes nothing. In a new post it is empty. Exceptions: without `tags` the post has none, and a short post
 * loses the fields of an essay.
 */
const editableFields = {
  /** In order. */
  attachments: z
    .array(AttachmentInput)
    .max(attachmentsPerPost, `A post has at most ${attachmentsPerPost} attachments.`)
    .optional(),
  /** A tag that does not exist yet is added. */
  tags: PostTags.default([]),
  tagIds: PostTagIds,
  isDraft: z.boolean(),
  /** Mails hold only its beginning, whatever readers have chosen. */
  mailsBeginning: z.boolean().optional(),
  /**
   * The date of publication instead of now, never in the future. Without an offset it is in the site's time
   * zone. A published post keeps its date.
   */
  date: z.iso.datetime({ local: true, offset: true }).optional(),
  /** Whether nobody is told of its publication, as of an old day that is written down late. */
  isQuiet: z.boolean().optional(),
};

/** What an author writes. Counts, dates, ids and the author are never taken from a client. */
export const PostInput = z.discriminatedUnion('type', [
  z.strictObject({
    ...editableFields,
    type: z.literal('short'),
    /** Its visible characters are counted where it is rendered: counting parses it, which can take long. */
    content,
  }),
  z.strictObject({
    ...editableFields,
    type: z.literal('essay'),
    title: lineOfEssay('A title', titleMaxCharacters),
    description: lineOfEssay('A description', descriptionMaxCharacters),
    content,
    shownIn: ShownIn.optional(),
    cardPicture: CardPicture.optional(),
  }),
]);
export type PostInput = z.output<typeof PostInput>;
