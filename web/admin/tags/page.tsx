import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { tagMaxCharacters } from '../../../contract/constants.ts';
import type { Output } from '../../../contract/operations.ts';
import { operationQuery, useCall } from '../../app/operations.tsx';
import { LoadFailed } from '../../ui/load-failed.tsx';
import { onForm } from '../../ui/on-form.ts';
import { AdminPage, forAdmins, useReport } from '../layout.tsx';
import { amount, postsOf, TagRow } from './row.tsx';

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
      {query.isPending && <p className="status">Loading...</p>}
      {query.isError && (
        <LoadFailed text={`Failed to load the tags. ${query.error.message}`} onRetry={query.refetch} />
      )}
      {query.isSuccess && tags.length === 0 && (
        <p className="status">No tags yet. Add one here or in the editor.</p>
      )}
      {tags.length > 0 && (
        <table className="rows tag-rows">
          <thead>
            <tr>
              <th scope="col">Tag</th>
              <th scope="col">Published</th>
              <th scope="col">Drafts</th>
              <th scope="col">May read</th>
              <th scope="col">
                <span className="hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {tags.map(tag => (
              <TagRow key={tag.id} tag={tag} />
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

function AddTag() {
  const call = useCall();
  const client = useQueryClient();
  const report = useReport();
  const [name, setName] = useState('');
  const [restored, setRestored] = useState<Output<'addTag'>['tag']>();
  const add = useMutation({
    mutationFn: () => call('addTag', { name }),
    onMutate: () => setRestored(undefined),
    onSuccess: async ({ tag, isRestored }) => {
      setName('');
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
          if (name.trim() !== '' && !add.isPending) add.mutate();
        })}
      >
        <input
          className="input"
          aria-label="New tag"
          placeholder="New tag"
          maxLength={tagMaxCharacters}
          autoComplete="off"
          value={name}
          onChange={event => setName(event.target.value)}
        />
        <button type="submit" className="button primary" aria-busy={add.isPending}>
          Add Tag
        </button>
      </form>
      {restored !== undefined && (
        <p className="notice" role="status">
          “{restored.name}” was deleted before and has been restored:{' '}
          {amount(postsOf(restored), 'post has', 'posts have')} it, and{' '}
          {amount(restored.userCount, 'user has', 'users have')} it as an approved tag.
        </p>
      )}
    </>
  );
}
