import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { tagMaxCharacters } from '../../../contract/constants.ts';
import type { Output } from '../../../contract/operations.ts';
import { operationQuery, useCall } from '../../app/queries.tsx';
import { amount } from '../../ui/amount.ts';
import { Announced } from '../../ui/announced.tsx';
import { onForm } from '../../ui/on-form.ts';
import { AdminPage, forAdmins, useAdminOperations } from '../layout.tsx';
import { RowList } from '../row-list.tsx';
import { postsOf, TagRow } from './row.tsx';

export const prepare = forAdmins(async ({ call, client }) => {
  await client.fetchQuery(operationQuery(call, 'getManagedTags', {}));
  return { title: 'Tags' };
});

/** Tag management (specification section 2, "/admin/tags"). */
export default function TagsPage() {
  return (
    <AdminPage title="Tags">
      <Tags />
    </AdminPage>
  );
}

function Tags() {
  const query = useQuery(operationQuery(useCall(), 'getManagedTags', {}));
  const tags = query.data?.tags ?? [];
  return (
    <>
      <AddTag />
      <RowList
        query={query}
        what="the tags"
        empty="No tags yet. Add one here or in the editor."
        className="tag-rows"
        columns={['Tag', 'Published', 'Drafts', 'May read']}
        rows={tags.map(tag => <TagRow key={tag.id} tag={tag} tags={tags} />)}
      />
    </>
  );
}

function restoredText(tag: Output<'addTag'>['tag']): string {
  const posts = amount(postsOf(tag), 'post has', 'posts have');
  const users = amount(tag.userCount, 'user has', 'users have');
  return `“${tag.name}” was deleted before and has been restored: ${posts} it, and ${users} it as an approved tag.`;
}

function AddTag() {
  const { call, client, report } = useAdminOperations();
  const [name, setName] = useState('');
  const [restored, setRestored] = useState<Output<'addTag'>['tag']>();
  const add = useMutation({
    mutationFn: (sent: string) => call('addTag', { name: sent }),
    onMutate: () => setRestored(undefined),
    onSuccess: async ({ tag, isRestored }, sent) => {
      // The next name may be there already.
      setName(typed => (typed === sent ? '' : typed));
      report.done(`${tag.name} was added.`);
      if (isRestored) setRestored(tag);
      await client.invalidateQueries({ queryKey: ['getManagedTags'] });
    },
    onError: error => report.failed('Failed to add tag. Please try again.', error),
  });
  return (
    <>
      <form
        className="acts add"
        onSubmit={onForm(() => {
          // Empty is ignored (specification section 5).
          if (name.trim() !== '' && !add.isPending) add.mutate(name);
        })}
      >
        <input
          className="input"
          aria-label="New tag"
          placeholder="New tag"
          maxLength={4 * tagMaxCharacters}
          autoComplete="off"
          value={name}
          onChange={event => setName(event.target.value)}
        />
        <button type="submit" className="button primary" aria-busy={add.isPending}>
          Add Tag
        </button>
      </form>
      <Announced className="notice">{restored !== undefined && restoredText(restored)}</Announced>
    </>
  );
}
