import { useId } from 'react';
import { attachmentDescriptionMaxCharacters } from '../../../contract/constants.ts';
import { isPhoto, shownName } from '../../../contract/files.ts';
import { Counter } from '../text/counter.tsx';
import type { EditorAttachment } from '../unsaved/draft.ts';

type FileWordsProps = {
  file: EditorAttachment;
  onDescribe(words: Pick<EditorAttachment, 'description'> | Pick<EditorAttachment, 'alt'>): void;
};

/** The fields about an attachment: a picture has a caption and an alternative text. */
export function FileWords({ file, onDescribe }: FileWordsProps) {
  const { type, description, alt = '' } = file;
  const name = shownName(file.name, type);
  if (!isPhoto(file)) {
    const isSound = type.startsWith('audio/');
    return (
      <Words
        label={`Description of ${name}`}
        placeholder={isSound ? 'What is said, for those who read it' : 'Description'}
        value={description}
        of="A description"
        onChange={words => onDescribe({ description: words })}
      />
    );
  }
  return (
    <>
      <Words
        label={`Caption of ${name}`}
        placeholder="Caption"
        value={description}
        of="A caption"
        onChange={words => onDescribe({ description: words })}
      />
      <Words
        label={`Description of ${name} for those who do not see it`}
        placeholder="For those who do not see it"
        value={alt}
        of="A description"
        onChange={words => onDescribe({ alt: words })}
      />
    </>
  );
}

type WordsProps = {
  label: string;
  placeholder: string;
  value: string;
  /** What the limit applies to. */
  of: string;
  onChange(value: string): void;
};

function Words({ label, placeholder, value, of, onChange }: WordsProps) {
  const id = useId();
  const characters = value.trim().length;
  const isTooLong = characters > attachmentDescriptionMaxCharacters;
  return (
    <>
      <input
        name="attachments"
        className="input"
        dir="auto"
        aria-invalid={isTooLong || undefined}
        aria-describedby={isTooLong ? id : undefined}
        aria-label={label}
        placeholder={placeholder}
        value={value}
        onChange={event => onChange(event.currentTarget.value)}
      />
      <Counter id={id} characters={characters} most={attachmentDescriptionMaxCharacters} of={of} isQuiet />
    </>
  );
}
