import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useId } from 'react';
import { tagsPerPost } from '../../contract/constants.ts';
import { operationQuery, useCall } from '../app/queries.tsx';
import { useViewer } from '../app/site.tsx';
import { TagInput } from '../ui/tag-input.tsx';
import type { KnownTag } from './unsaved/draft.ts';

type TagEntryProps = {
  tags: readonly string[];
  onChange(tags: string[], known: readonly KnownTag[]): void;
  /** Called with the tags of the site when they are loaded: a chosen tag may have been renamed. */
  onKnown(tags: readonly KnownTag[]): void;
  error: string | undefined;
};

/** The tags of a post: existing ones are suggested, and new ones are made by typing them. */
export function TagEntry({ tags, onChange, onKnown, error }: TagEntryProps) {
  const id = useId();
  const { can } = useViewer();
  // Fetched again when the author comes back to this window: tags may have been renamed in another one.
  const known = useQuery({ ...operationQuery(useCall(), 'getTags', {}), staleTime: 0 });
  const tell = useEffectEvent(onKnown);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other chosen tags may come from a copy, with former names
  useEffect(() => {
    if (known.data !== undefined) tell(known.data.tags);
  }, [known.data, tags]);
  const tooMany = tags.length - tagsPerPost;
  const shownError =
    tooMany > 0 ? `A post has at most ${tagsPerPost} tags. Remove ${tooMany} to save it.` : error;
  return (
    <div className="field">
      <label id={`${id}-label`} htmlFor={id}>
        Tags
      </label>
      <TagInput
        id={id}
        labelledBy={`${id}-label`}
        name="tags"
        describedBy={shownError === undefined ? `${id}-hint` : `${id}-error`}
        isInvalid={shownError !== undefined}
        known={known.data?.tags.map(tag => tag.name) ?? []}
        chosen={tags}
        canCreate={can.administer}
        keepsUnknown
        onChange={chosen => onChange(chosen, known.data?.tags ?? [])}
      />
      {tooMany <= 0 && (
        <p className="hint" id={`${id}-hint`}>
          {tooMany === 0
            ? `A post has at most ${tagsPerPost} tags.`
            : `Without tags, everybody can read it. Press Enter or a comma to add a tag${can.administer ? '.' : ' that you may read yourself.'}`}
        </p>
      )}
      {known.isError && (
        <p className="error" role="alert">
          Failed to load the tags. <span>{known.error.message}</span>{' '}
          {can.administer && <span>You can still type one.</span>}
        </p>
      )}
      {shownError !== undefined && (
        <p className="error" id={`${id}-error`} role="alert">
          {shownError}
        </p>
      )}
    </div>
  );
}
