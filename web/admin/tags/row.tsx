import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Link } from 'wouter';
import { tagMaxCharacters } from '../../../contract/constants.ts';
import type { Output } from '../../../contract/operations.ts';
import { tagKey } from '../../../contract/tag-name.ts';
import { operationQuery } from '../../app/queries.tsx';
import { routes } from '../../app/routes.ts';
import { amount } from '../../ui/amount.ts';
import { useDialogs } from '../../ui/dialogs.tsx';
import { isComposing } from '../../ui/is-composing.ts';
import { RowAction } from '../../ui/row-action.tsx';
import { useFocusReturn } from '../../ui/use-focus-return.ts';
import { leaveRow, useAdminOperations } from '../layout.tsx';
import { useMerge } from './merge.ts';

type Tag = Output<'getManagedTags'>['tags'][number];

export function postsOf(tag: Tag): number {
  return tag.publishedCount + tag.draftCount;
}

/** A tag with its counts, renamed in its row. */
export function TagRow({ tag, tags }: { tag: Tag; tags: readonly Tag[] }) {
  const row = useRef<HTMLTableRowElement>(null);
  const rename = useRef<HTMLButtonElement>(null);
  const [isRenaming, setRenaming] = useState(false);
  useFocusReturn(rename, isRenaming);
  const remove = useDelete(tag);
  const dialogs = useDialogs();
  const askAndDelete = async () => {
    const isSure = await dialogs.confirm(deletionText(tag), {
      action: 'Delete',
      isDangerous: true,
      details: [tag.name],
    });
    if (!isSure) return;
    leaveRow(row.current);
    remove.mutate();
  };
  if (isRenaming) return <RenameRow tag={tag} tags={tags} onStop={() => setRenaming(false)} />;
  return (
    <tr ref={row}>
      <th scope="row">{tag.name}</th>
      <Numbers tag={tag} />
      <td>
        <div className="acts">
          <RowAction ref={rename} verb="Rename" name={tag.name} onClick={() => setRenaming(true)} />
          <RowAction
            verb="Delete"
            name={tag.name}
            isDangerous
            disabled={remove.isPending}
            onClick={askAndDelete}
          />
        </div>
      </td>
    </tr>
  );
}

/** The text of specification section 8, and what deletion means (decision 5). */
function deletionText(tag: Tag): string {
  const text = 'Are you sure you want to delete this tag? This action cannot be undone.';
  const posts = postsOf(tag);
  if (posts === 0 && tag.userCount === 0) return text;
  const kept = amount(posts, 'post has this tag and keeps it', 'posts have this tag and keep it');
  const keeping = posts === 0 ? '' : ` ${kept}; who may read ${posts === 1 ? 'it' : 'them'} does not change.`;
  return `${text}${keeping} Adding its name again brings it back with its posts and users; only invitations lose it for good.`;
}

/** The list of the posts with a tag, further narrowed by `more`. */
const postsWith = (tag: Tag, more = '') => routes.posts.href(`?tag=${encodeURIComponent(tag.name)}${more}`);

function Numbers({ tag }: { tag: Tag }) {
  const users = routes.users.href(`?list=approved&search=${encodeURIComponent(tag.name)}`);
  return (
    <>
      <Count tag={tag} count={tag.publishedCount} one="post" to={postsWith(tag, '&filter=published')} />
      <Count tag={tag} count={tag.draftCount} one="draft" to={postsWith(tag, '&filter=drafts')} />
      {tag.isDefault ? (
        <td className="number">everybody</td>
      ) : (
        <Count tag={tag} count={tag.userCount} one="user" to={users} />
      )}
    </>
  );
}

type CountProps = { tag: Tag; count: number; one: string; to: string };

/** How many there are with a tag, as a link to them. */
function Count({ tag, count, one, to }: CountProps) {
  const words = amount(count, one);
  return (
    <td className="number">
      {count === 0 ? (
        words
      ) : (
        <Link to={to} aria-label={`${words}: ${tag.name}`}>
          {words}
        </Link>
      )}
    </td>
  );
}

function useDelete(tag: Tag) {
  const { call, client, report } = useAdminOperations();
  return useMutation({
    mutationFn: () => call('deleteTag', { tagId: tag.id }),
    onMutate: async () => {
      await client.cancelQueries({ queryKey: ['getManagedTags'] });
      client.setQueryData(
        operationQuery(call, 'getManagedTags', {}).queryKey,
        data => data && { tags: data.tags.filter(other => other.id !== tag.id) },
      );
    },
    onSuccess: () =>
      report.done(
        `${tag.name} was deleted.`,
        postsOf(tag) > 0 && (
          <Link className="quiet" to={postsWith(tag)}>
            View its posts
          </Link>
        ),
      ),
    onError: error => report.failed('Failed to delete tag. Please try again.', error),
    onSettled: () => client.invalidateQueries({ queryKey: ['getManagedTags'] }),
  });
}

type RenameProps = { tag: Tag; tags: readonly Tag[]; onStop(): void };

/** The new name of a tag; the name of another one merges the two. */
function RenameRow({ tag, tags, onStop }: RenameProps) {
  const { call, client, report } = useAdminOperations();
  const [name, setName] = useState(tag.name);
  const rename = useMutation({
    mutationFn: () => call('renameTag', { tagId: tag.id, name }),
    onSuccess: async answer => {
      report.done(`${tag.name} was renamed to ${answer.tag.name}.`);
      await client.invalidateQueries();
      onStop();
    },
    onError: error => report.failed('Failed to rename tag.', error),
  });
  const row = useRef<HTMLTableRowElement>(null);
  const merge = useMerge(tag, row, onStop);
  const other = tags.find(({ id, name: taken }) => id !== tag.id && tagKey(taken) === tagKey(name));
  const isBusy = rename.isPending || merge.isPending;
  const save = () => {
    if (name.trim() === tag.name) onStop();
    else if (other !== undefined) !isBusy && merge.mutate(other);
    else if (name.trim() !== '' && !rename.isPending) rename.mutate();
  };
  return (
    <tr
      ref={row}
      onKeyDown={event => {
        if (event.key === 'Escape' && !isComposing(event)) onStop();
      }}
    >
      <th scope="row">
        <input
          className="input"
          aria-label={`New name of ${tag.name}`}
          maxLength={4 * tagMaxCharacters}
          autoComplete="off"
          // biome-ignore lint/a11y/noAutofocus: the reader has just asked to type here
          autoFocus
          value={name}
          onChange={event => setName(event.target.value)}
          onKeyDown={event => {
            if (event.key === 'Enter' && !isComposing(event)) save();
          }}
        />
      </th>
      <Numbers tag={tag} />
      <td>
        <div className="acts">
          <button type="button" className="quiet" aria-busy={isBusy} onClick={save}>
            {other === undefined ? 'Save' : `Merge into “${other.name}”`}
          </button>
          <button type="button" className="quiet" onClick={onStop}>
            Cancel
          </button>
        </div>
      </td>
    </tr>
  );
}
