import { tagsPerPost } from '../../../contract/constants.ts';
import { AppError } from '../../../contract/errors.ts';
import { digestOf } from '../../base/secrets.ts';
import type { Rendered } from '../../markdown/render.ts';
import { postColumns, renderContent, type SavedPost } from '../../posts/save.ts';
import type { DraftPost } from './draft.ts';
import { lostWords } from './html/lost-words.ts';
import { contentWith, type FoundFiles, type PostFiles, pictureWith } from './post-files.ts';
import { isShort, postInputOf } from './post-input.ts';
import { tooManyTags } from './post-tags.ts';

/** The Markdown of a draft with the new addresses of its files, and its rendering. */
export type RenderedText = { content: string; cardPicture: string | undefined; rendered: Rendered };

/** Renders a draft as the post with this id. Throws invalid-argument for a draft without text. */
export async function render(draft: DraftPost, files: PostFiles, id: string): Promise<RenderedText> {
  const content = contentWith(draft.content, files);
  if (content.trim() === '') throw new AppError('invalid-argument', 'it has no text');
  const type = isShort({ ...draft, content }) ? 'short' : 'essay';
  return {
    content,
    cardPicture: pictureWith(draft.cardPicture, files),
    rendered: await renderContent({ type, content }, id, { isAside: true }),
  };
}

/** Like {@link render}; an early rendering is used if the text is the same. */
export async function renderUnless(
  early: { id: string; rendered: RenderedText } | undefined,
  draft: DraftPost,
  files: PostFiles,
  id: string,
): Promise<RenderedText> {
  const isSame = early?.id === id && early.rendered.content === contentWith(draft.content, files);
  return isSame
    ? { ...early.rendered, cardPicture: pictureWith(draft.cardPicture, files) }
    : await render(draft, files, id);
}

/** The post that a draft becomes, with notes on what had to be changed. */
export function textOf(
  draft: DraftPost,
  { content, cardPicture, rendered }: RenderedText,
  tags: readonly string[],
) {
  const { input, notes } = postInputOf({ ...draft, content, cardPicture }, tags, rendered.text);
  return { columns: postColumns(input, rendered), tags: input.tags, notes };
}

/**
 * A digest of an item's content and the bytes of its files, by which an unchanged item is recognised. Its
 * author is looked up each time. The order of a draft's fields matters: in another order, every item would
 * seem changed.
 */
export function digestOfDraft(
  { isOwnAddress: _, findFile: __, findPost: ___, author: ____, sourceWords: _____, ...draft }: DraftPost,
  { files, posts }: FoundFiles,
): string {
  const digests = [...files].map(([address, { digest }]) => [address, digest]);
  return digestOf(JSON.stringify([draft, digests, [...posts]]));
}

/** A note if words of the source are missing in the rendering. */
export function lostOf(draft: DraftPost, { rendered }: RenderedText): string[] {
  const words = draft.sourceWords?.();
  const lost = words === undefined ? undefined : lostWords(words, rendered.text);
  return lost === undefined ? [] : [lost];
}

/** What an author may want to know about the imported post, besides the notes of its source and files. */
export function notesOn(
  { tags, audience, isDraft, date }: DraftPost,
  before: SavedPost | undefined,
  now: number,
): string[] {
  const hasTooMany = tags.length + audience.length > tagsPerPost;
  return [
    ...(hasTooMany ? [`it has more than ${tagsPerPost} tags: it gets the tag “${tooManyTags}”`] : []),
    ...(isDraft && before?.published_at != null ? ['it is published already and stays so'] : []),
    ...(!isDraft && date !== undefined && date > now ? ['its date lies in the future'] : []),
  ];
}
