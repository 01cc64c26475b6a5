import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { operationQuery, useCall } from '../../app/queries.tsx';
import { useViewer } from '../../app/site.tsx';
import type { Draft } from '../unsaved/draft.ts';
import { tagsOf } from '../unsaved/draft-tags.ts';

/** The names of the members who can read a post, folded; for admins, who alone see the list of members. */
export function ReaderNames({ draft }: { draft: Draft }) {
  const [isOpen, setOpen] = useState(false);
  const { can } = useViewer();
  const { data, error } = useQuery({
    ...operationQuery(useCall(), 'listReaders', tagsOf(draft)),
    enabled: isOpen,
    placeholderData: keepPreviousData,
    // Somebody may have been approved since.
    staleTime: 0,
  });
  if (!can.administer) return null;
  return (
    <details onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>Their names</summary>
      <p role="status">
        {error !== null ? `Failed to load their names. ${error.message}` : data && namesInWords(data)}
      </p>
    </details>
  );
}

function namesInWords({ names, total }: { names: readonly string[]; total: number }): string {
  const more = total - names.length;
  return new Intl.ListFormat('en').format([...names, ...(more > 0 ? [`${more} more`] : [])]);
}
