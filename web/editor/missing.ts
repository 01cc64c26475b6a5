import {
  attachmentDescriptionMaxCharacters,
  descriptionMaxCharacters,
  tagsPerPost,
  titleMaxCharacters,
} from '../../contract/constants.ts';
import { isWithin, oneLine } from '../../contract/text.ts';
import { isOfPhotosAlone } from './files/photo-paragraph.ts';
import type { Draft, EditorAttachment } from './unsaved/draft.ts';
import { fieldNames } from './unsaved/save-post.ts';

/** What a post still needs, by field; the server says the same. */
export function missingIn(draft: Draft): Record<string, string> {
  const { type, title, description, content } = draft;
  const isEssay = type === 'essay';
  return {
    ...(isEssay && title.trim() === '' && { title: 'A title is required for an essay.' }),
    ...(isEssay && description.trim() === '' && { description: 'A description is required for an essay.' }),
    ...(content.trim() === '' && !isOfPhotosAlone(draft) && { content: 'Content is required.' }),
  };
}

/** The parts of a draft that a sentence beside a field is about. */
const partsOf: Record<string, readonly (keyof Draft)[]> = {
  title: ['title'],
  description: ['description'],
  // Photos can stand in place of the text.
  content: ['content', 'type', 'attachments'],
  attachments: ['attachments'],
  tags: ['tags'],
};

/** Of the sentences with which a draft was refused those about parts that have not changed since. */
export function stillTrue(
  sentences: Record<string, string>,
  refused: Draft,
  now: Draft,
): Record<string, string> {
  const isSame = (name: string) => (partsOf[name] ?? []).every(part => refused[part] === now[part]);
  return Object.fromEntries(Object.entries(sentences).filter(([name]) => isSame(name)));
}

/** Whether what is said about a file is longer than it may be. */
export function isDescribedTooLong({ description, alt = '' }: EditorAttachment): boolean {
  return [description, alt].some(words => !isWithin(words.trim(), attachmentDescriptionMaxCharacters));
}

/**
 * The fields beside the text that hold more than they may; each says so. Nothing is left out to save the
 * rest: with fewer tags more people could read it.
 */
export function fieldsOverLimit({ type, title, description, tags, attachments }: Draft): string[] {
  const isEssay = type === 'essay';
  return [
    ...(isEssay && !isWithin(oneLine(title), titleMaxCharacters) ? ['title'] : []),
    ...(isEssay && !isWithin(oneLine(description), descriptionMaxCharacters) ? ['description'] : []),
    ...(attachments.some(isDescribedTooLong) ? ['attachments'] : []),
    ...(tags.length > tagsPerPost ? ['tags'] : []),
  ];
}

/**
 * Moves the focus to the first of these fields, among the descriptions of attachments to the first that is
 * too long.
 */
export function focusFirst(
  fields: readonly string[],
  form: HTMLFormElement | null,
  text: { focus(): void } | null,
): void {
  const first = fieldNames.find(name => fields.includes(name));
  const named = `[name='${first}']`;
  const field =
    form?.querySelector<HTMLElement>(`${named}[aria-invalid='true']`) ??
    form?.querySelector<HTMLElement>(named);
  if (first === 'content') text?.focus();
  else field?.focus();
}
