import {
  attachmentDescriptionMaxCharacters,
  descriptionMaxCharacters,
  tagsPerPost,
  titleMaxCharacters,
} from '../../../contract/constants.ts';
import { isWithin, oneLine } from '../../../contract/text.ts';
import { isOfFilesAlone, withFilesAsText } from '../files/files-as-text.ts';
import type { Draft, EditorAttachment, Post } from './draft.ts';
import { haveSameTags } from './draft-tags.ts';

/** The names of the fields in the contract. `knownTags` belongs to the field `tags`. */
export type FieldName = Exclude<keyof Draft, 'knownTags'>;

type FieldValues = Required<Pick<Draft, FieldName>>;

type Field<Value> = {
  /** The value in an opened post; without a post, in a new draft and in a stored copy that lacks it. */
  of(post: Partial<Post>): Value;
  /** Only essays have the field; the editor keeps it while the type is a short post. */
  isOfEssay?: true;
  /** The value as the server stores it, by which two drafts are compared. */
  kept?(value: Value): unknown;
  /** Compares two drafts, where `kept` cannot. */
  isSame?(a: Draft, b: Draft): boolean;
  /** The error if the field is empty. */
  missing?(draft: Draft): string | false;
  isTooLong?(value: Value): boolean;
  /** The parts of a draft that its error depends on, if not on the field alone. */
  about?: readonly (keyof Draft)[];
  /** Its line in the comparison of two versions of a post. */
  line?: { label: string; words(value: Value): string };
};

/** A field of one line. */
const oneLineOf = (most: number) => ({
  kept: (text: string | null) => oneLine(text ?? ''),
  isTooLong: (text: string | null) => !isWithin(oneLine(text ?? ''), most),
});

const wordsOf = ({ description, alt = '' }: EditorAttachment) => [description, alt];

/** Whether what is said about a file is longer than it may be. */
export function isDescribedTooLong(file: EditorAttachment): boolean {
  return wordsOf(file).some(words => !isWithin(words.trim(), attachmentDescriptionMaxCharacters));
}

/** Everything that the editor needs of each field of a post, in the order of the editor. */
const postFields: { readonly [Name in FieldName]: Field<FieldValues[Name]> } = {
  type: { of: ({ type = 'short' }) => type },
  title: {
    ...oneLineOf(titleMaxCharacters),
    of: ({ title }) => title ?? '',
    isOfEssay: true,
    missing: ({ title }) => title.trim() === '' && 'A title is required for an essay.',
  },
  description: {
    ...oneLineOf(descriptionMaxCharacters),
    of: ({ description }) => description ?? '',
    isOfEssay: true,
    missing: ({ description }) => description.trim() === '' && 'A description is required for an essay.',
  },
  shownIn: { of: ({ shownIn = 'timeline' }) => shownIn, isOfEssay: true },
  content: {
    of: ({ content = '' }) => content,
    missing: draft => draft.content.trim() === '' && !isOfFilesAlone(draft) && 'Content is required.',
    // Files can stand in place of the text.
    about: ['content', 'type', 'attachments'],
  },
  cardPicture: { of: ({ cardPicture = null }) => cardPicture, isOfEssay: true },
  attachments: {
    of: ({ attachments = [] }) =>
      attachments.map(({ description, alt, ...file }) => ({
        ...file,
        description: description ?? '',
        ...(alt && { alt }),
      })),
    kept: files => files.map(file => [file.url, ...wordsOf(file), file.thumbnail]),
    isTooLong: files => files.some(isDescribedTooLong),
    line: {
      label: 'Attachments',
      words: files =>
        files
          .map(file => {
            const words = wordsOf(file).filter(Boolean).join('; ');
            return words === '' ? file.name : `${file.name} (${words})`;
          })
          .join(', '),
    },
  },
  tags: {
    of: ({ tags = [] }) => tags,
    isSame: haveSameTags,
    isTooLong: tags => tags.length > tagsPerPost,
    line: { label: 'Tags', words: tags => tags.join(', ') },
  },
  mailsBeginning: { of: ({ mailsBeginning = false }) => mailsBeginning },
};

const names = Object.keys(postFields) as FieldName[];

/** The fields that can show an error, in the order of the editor. */
export const namesWithSentence: readonly string[] = names.filter(
  name => 'missing' in postFields[name] || 'isTooLong' in postFields[name],
);

export const isRequired = (name: FieldName) => postFields[name].missing !== undefined;

export function draftOf(post: Partial<Post>): Draft & FieldValues {
  const values = Object.fromEntries(names.map(name => [name, postFields[name].of(post)])) as FieldValues;
  return {
    ...values,
    knownTags: values.tags.flatMap((name, index) => {
      const id = post.tagIds?.[index];
      return id === undefined ? [] : [{ id, name }];
    }),
  };
}

export const emptyDraft = draftOf({});

type Names = readonly FieldName[];

const namesOf = ({ type }: Draft): Names =>
  names.filter(name => type === 'essay' || postFields[name].isOfEssay !== true);

const whole = (draft: Draft) => ({ ...emptyDraft, ...draft });

function isSame<Name extends FieldName>(a: Draft, b: Draft, name: Name): boolean {
  const field = postFields[name];
  if (field.isSame !== undefined) return field.isSame(a, b);
  const [one, other] = [a, b].map(draft => {
    const value = whole(draft)[name];
    return JSON.stringify(field.kept === undefined ? value : field.kept(value));
  });
  return one === other;
}

export const isSameDraft = (a: Draft, b: Draft): boolean => names.every(name => isSame(a, b, name));

/** Whether two drafts would be saved as the same post: for a save whose answer was lost. */
export function isSameSave(a: Draft, b: Draft): boolean {
  const one = withFilesAsText(a);
  const other = withFilesAsText(b);
  return namesOf(a).every(name => isSame(one, other, name));
}

/** What a post still needs, by field; the server says the same. */
export function missingIn(draft: Draft): Record<string, string> {
  return Object.fromEntries(
    namesOf(draft).flatMap(name => {
      const sentence = postFields[name].missing?.(draft);
      return sentence ? [[name, sentence]] : [];
    }),
  );
}

/**
 * The fields beside the text that hold more than they may; each says so. Nothing is left out to save the
 * rest: with fewer tags more people could read it.
 */
export function fieldsOverLimit(draft: Draft): Names {
  const isOver = <Name extends FieldName>(name: Name) => postFields[name].isTooLong?.(whole(draft)[name]);
  return namesOf(draft).filter(isOver);
}

/** The errors of a refused draft that still apply: those about parts that have not changed since. */
export function stillTrue(
  sentences: Record<string, string>,
  refused: Draft,
  now: Draft,
): Record<string, string> {
  const changed: Names = names.filter(name =>
    (postFields[name].about ?? [name]).some(part => refused[part] !== now[part]),
  );
  return Object.fromEntries(
    Object.entries(sentences).filter(([about]) => changed.every(name => name !== about)),
  );
}

/** The lines below the text of a draft in the comparison of two versions. */
export function linesOf(draft: Draft): { label: string; words: string }[] {
  const lineOf = <Name extends FieldName>(name: Name) => {
    const { line } = postFields[name];
    const words = line?.words(whole(draft)[name]);
    return line && words ? [{ label: line.label, words }] : [];
  };
  return namesOf(draft).flatMap(lineOf);
}
