import {
  descriptionMaxCharacters,
  shortPostMaxCharacters,
  tagMaxCharacters,
  titleMaxCharacters,
} from '../../../contract/constants.ts';
import { AppError } from '../../../contract/errors.ts';
import { PostInput } from '../../../contract/post-input.ts';
import { tagKey } from '../../../contract/tag-name.ts';
import { TagName } from '../../../contract/tags.ts';
import { cutAtWord, isWithin } from '../../../contract/text.ts';
import { countShortPost } from '../../../contract/visible-text.ts';
import type { DraftPost } from './draft.ts';
import { cutName, visibleName } from './tag-names.ts';

/** Enough of a text to show what it is about. */
const madeDescriptionCharacters = 200;

type Words = Pick<
  DraftPost,
  | 'type'
  | 'shownIn'
  | 'cardPicture'
  | 'mailsBeginning'
  | 'title'
  | 'fallbackTitle'
  | 'description'
  | 'content'
  | 'isDraft'
>;

/**
 * The input that an author would have typed into the editor, within its limits; `notes` says what had to be
 * changed for that. Throws invalid-argument with a reason for the report if it cannot become a post.
 */
export function postInputOf(
  draft: Words,
  tags: readonly string[],
  renderedText: string,
): { input: PostInput; notes: string[] } {
  const notes: string[] = [];
  const { content, isDraft, mailsBeginning } = draft;
  const common = { content, isDraft, mailsBeginning, tags: tagsOf(tags, notes) };
  const words = isShort(draft) ? { type: 'short' } : essayWords(draft, renderedText, notes);
  const result = PostInput.safeParse({ ...words, ...common });
  if (!result.success) {
    throw new AppError('invalid-argument', result.error.issues.map(issue => issue.message).join(' '));
  }
  return { input: result.data, notes };
}

/** Whether a draft becomes a short post. */
export function isShort({ type, title, content }: Pick<Words, 'type' | 'title' | 'content'>): boolean {
  if (type === 'essay' || (type === undefined && title !== undefined)) return false;
  return countShortPost(content, shortPostMaxCharacters) <= shortPostMaxCharacters;
}

function essayWords(draft: Words, renderedText: string, notes: string[]) {
  const within = (what: string, text: string, max: number) => {
    if (!isWithin(text, max)) notes.push(`its ${what} was cut to ${max} characters`);
    return cutAtWord(text, max);
  };
  const title = within('title', draft.title ?? draft.fallbackTitle, titleMaxCharacters);
  const described = draft.description && within('description', draft.description, descriptionMaxCharacters);
  const description = described || cutAtWord(renderedText, madeDescriptionCharacters) || title;
  return { type: 'essay', title, description, shownIn: draft.shownIn, cardPicture: draft.cardPicture };
}

/**
 * Every tag is kept, shortened if need be: dropping one could open a post to more readers (decision 5,
 * 32).
 */
function tagsOf(written: readonly string[], notes: string[]): string[] {
  const names = new Map<string, string>();
  for (const text of written) {
    const visible = visibleName(text);
    const name = TagName.safeParse(cutName(visible, tagMaxCharacters));
    if (!name.success) notes.push('a tag without visible characters was left out');
    else {
      if (!isWithin(visible, tagMaxCharacters)) notes.push(`the tag "${name.data}" was cut`);
      names.set(tagKey(name.data), name.data);
    }
  }
  return [...names.values()];
}
