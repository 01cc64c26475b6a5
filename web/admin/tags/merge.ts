import { useMutation } from '@tanstack/react-query';
import type { RefObject } from 'react';
import type { Output } from '../../../contract/operations.ts';
import { amount } from '../../ui/amount.ts';
import { useDialogs } from '../../ui/dialogs.tsx';
import { audienceWords } from '../audience-words.ts';
import { leaveRow, useAdminOperations } from '../layout.tsx';

type Tag = Output<'getManagedTags'>['tags'][number];

/**
 * Merges a tag into another one once the admin has seen what that opens and closes (decision 6). Its row
 * goes with it.
 */
export function useMerge(tag: Tag, row: RefObject<HTMLElement | null>, onDone: () => void) {
  const { call, client, report } = useAdminOperations();
  const { confirm } = useDialogs();
  return useMutation({
    mutationFn: async (into: Tag) => {
      const merge = { tagId: tag.id, intoId: into.id };
      const seen = await call('previewTagMerge', merge);
      const options = { action: 'Merge', isDangerous: true, details: effectOf(seen, into) };
      if (!(await confirm(mergeText(tag, into), options))) return;
      await call('mergeTag', { ...merge, seen });
      report.done(`${tag.name} was merged into ${into.name}.`);
      leaveRow(row.current);
      await client.invalidateQueries();
      onDone();
    },
    onError: error => {
      report.failed('Failed to merge the tags.', error);
      void client.invalidateQueries();
    },
  });
}

function mergeText(tag: Tag, into: Tag): string {
  const posts = amount(tag.publishedCount + tag.draftCount, 'post', 'posts');
  const users = amount(tag.userCount, 'user', 'users');
  return `Merge “${tag.name}” into “${into.name}”? ${posts} and ${users} with “${tag.name}” get “${into.name}” instead. This action cannot be undone.`;
}

/** What the merge opens and closes, in sentences with numbers. */
function effectOf({ invitations, ...audience }: Output<'previewTagMerge'>, into: Tag): string[] {
  const words = audienceWords(audience);
  if (words.length === 0) words.push('Nobody can read more or less than before');
  if (audience.visitors.lost > 0)
    words.push(`Members need “${into.name}” for the posts that visitors no longer see`);
  if (invitations > 0)
    words.push(`${amount(invitations, 'invitation gives', 'invitations give')} “${into.name}” from now on`);
  return words.map(sentence => `${sentence}.`);
}
