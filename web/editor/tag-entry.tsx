import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { tagsPerPost } from '../../contract/constants.ts';
import { operationQuery, useCall } from '../app/operations.tsx';
import { useViewer } from '../app/site.tsx';
import { TagInput } from '../ui/tag-input.tsx';

type TagEntryProps = { tags: readonly string[]; onChange(tags: string[]): void; error: string | undefined };

/** The tags of a post: existing ones are suggested, and new ones are made by typing them. */
export function TagEntry({ tags, onChange, error }: TagEntryProps) {
  const id = useId();
  const { can } = useViewer();
  const known = useQuery(operationQuery(useCall(), 'getTags', {}));
  return (
    <div className="field">
      <label htmlFor={id}>Tags</label>
      <TagInput
        id={id}
        describedBy={error === undefined ? `${id}-hint` : `${id}-error`}
        isInvalid={error !== undefined}
        known={known.data?.tags.map(tag => tag.name) ?? []}
        chosen={tags}
        canCreate={can.administer}
        onChange={chosen => onChange(chosen.slice(0, tagsPerPost))}
      />
      <p className="hint" id={`${id}-hint`}>
        Without tags, everybody can read it. Press Enter or a comma to add a tag
        {can.administer ? '.' : ' that you may read yourself.'}
      </p>
      {known.isError && (
        <p className="error" role="alert">
          Failed to load the tags. {known.error.message} {can.administer && 'You can still type one.'}
        </p>
      )}
      {error !== undefined && (
        <p className="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}
