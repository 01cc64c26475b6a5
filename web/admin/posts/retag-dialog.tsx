import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { AppError } from '../../../contract/errors.ts';
import type { Output } from '../../../contract/operations.ts';
import { tagKey } from '../../../contract/tag-name.ts';
import { operationQuery } from '../../app/queries.tsx';
import { amount, number } from '../../ui/amount.ts';
import { BusyButton } from '../../ui/busy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useDialogs } from '../../ui/dialogs.tsx';
import { LoadFailed } from '../../ui/load-failed.tsx';
import { audienceWords } from '../audience-words.ts';
import { useAdminOperations } from '../layout.tsx';

type Effect = Output<'previewRetag'>['effect'];

/** A tag as it is on the selected posts before the change. */
type Carried = { id: string; name: string; isListed: boolean; count: number; total: number };

/** What becomes of tags: true for all posts, false for none; those that are not in it stay as they are. */
type Wanted = ReadonlyMap<string, boolean>;

type RetagDialogProps = { postIds: readonly string[]; onClose(): void };

/** Adds tags to the selected posts, and removes them, once the effect has been shown (decision 6). */
export default function RetagDialog({ postIds, onClose }: RetagDialogProps) {
  const retag = useRetag(postIds, onClose);
  const { tags, wanted, words, error, isReady, save } = retag;
  return (
    <Dialog title="Change tags" isOpen onClose={() => save.isPending || onClose()}>
      <p className="sub">A line means: on some of the posts. A post without any tag is for everybody.</p>
      {retag.isLoading && <p role="status">Loading...</p>}
      {retag.loadError !== null && (
        <LoadFailed text="Failed to load the tags." error={retag.loadError} onRetry={retag.reload} />
      )}
      {tags !== undefined && (
        <Choices tags={tags} wanted={wanted} isDisabled={save.isPending} onWant={retag.want} />
      )}
      <div className="effects" role="status">
        {words.length > 0 && (
          <ul>
            {words.map(line => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        )}
      </div>
      {error !== undefined && <p role="alert">{error}</p>}
      <div className="acts">
        <button type="button" className="button" disabled={save.isPending} onClick={onClose}>
          Cancel
        </button>
        <BusyButton
          className="button primary"
          isBusy={save.isPending}
          disabled={!isReady}
          onClick={() => save.mutate()}
        >
          Save
        </BusyButton>
      </div>
    </Dialog>
  );
}

/** The tags of the posts, what is to become of them, its effect, and the change. */
function useRetag(postIds: readonly string[], onClose: () => void) {
  const { call, client, report } = useAdminOperations();
  const { confirm } = useDialogs();
  const [wanted, setWanted] = useState<Wanted>(new Map());
  const idsWanted = (isOn: boolean) => [...wanted].filter(([, is]) => is === isOn).map(([id]) => id);
  const change = { postIds: [...postIds], addedTagIds: idsWanted(true), removedTagIds: idsWanted(false) };
  // Posts and tags may have changed since they were last asked for.
  const asked = { staleTime: 0, gcTime: 0 };
  const none = { ...change, addedTagIds: [], removedTagIds: [] };
  const now = useQuery({ ...operationQuery(call, 'previewRetag', none), ...asked });
  const listed = useQuery({ ...operationQuery(call, 'getManagedTags', {}), staleTime: 0 });
  const preview = useQuery({
    ...operationQuery(call, 'previewRetag', change),
    ...asked,
    enabled: wanted.size > 0,
    placeholderData: keepPreviousData,
  });
  const tags = now.data && listed.data && carriedTags(now.data, listed.data.tags);
  const names = (ids: readonly string[]) =>
    new Intl.ListFormat('en').format(ids.map(id => `“${tags?.find(tag => tag.id === id)?.name ?? ''}”`));
  const changeWords = [
    ...(change.addedTagIds.length > 0 ? [`All get ${names(change.addedTagIds)}`] : []),
    ...(change.removedTagIds.length > 0 ? [`None keeps ${names(change.removedTagIds)}`] : []),
  ];
  const effect = wanted.size === 0 || preview.isError ? undefined : preview.data?.effect;
  const save = useMutation({
    mutationFn: async () => {
      if (effect === undefined) return undefined;
      const words = openedAndClosed(effect);
      const question = `Change the tags of ${amount(now.data?.postCount ?? 0, 'post')}?`;
      const details = [...changeWords, ...words];
      if (words.length > 0 && !(await confirm(question, { action: 'Save', isDangerous: true, details })))
        return undefined;
      return await call('retagPosts', { ...change, seen: effect });
    },
    onSuccess: async answer => {
      if (answer === undefined) return;
      const { changed } = answer;
      report.done(
        changed === 0
          ? 'All selected posts have these tags already.'
          : `The tags of ${amount(changed, 'post')} were changed.`,
      );
      onClose();
      await client.invalidateQueries();
    },
    onError: async error => {
      if (error instanceof AppError && error.code === 'aborted')
        await Promise.all([now.refetch(), preview.refetch(), listed.refetch()]);
    },
  });
  const failed = preview.error ?? save.error;
  return {
    tags,
    wanted,
    want: (id: string, isOn: boolean | undefined) => {
      save.reset();
      const others = [...wanted].filter(([other]) => other !== id);
      setWanted(new Map(isOn === undefined ? others : [...others, [id, isOn]]));
    },
    words: [...changeWords, ...(effect === undefined ? [] : effectWords(effect))],
    error: failed === null ? undefined : `Failed to change the tags. ${failed.message}`,
    isLoading: now.isPending || listed.isPending,
    loadError: now.error ?? listed.error,
    reload: () => void Promise.all([now.refetch(), listed.refetch()]),
    isReady: effect !== undefined && !preview.isPlaceholderData,
    save,
  };
}

/** The tags of the posts, and then all others, with how many of the posts have each. */
function carriedTags(
  { tags, postCount: total }: Output<'previewRetag'>,
  listed: Output<'getManagedTags'>['tags'],
): Carried[] {
  const carried = tags.map(({ postCount: count, ...tag }) => ({ ...tag, count, total }));
  const others = listed.filter(({ id }) => tags.every(tag => tag.id !== id));
  return [...carried, ...others.map(({ id, name }) => ({ id, name, isListed: true, count: 0, total }))];
}

function openedAndClosed(effect: Effect): string[] {
  const words = audienceWords(effect);
  const { published } = effect.untagged;
  if (published > 0)
    words.push(
      published === 1
        ? '1 post has no tag any more: everybody can read it'
        : `${number(published)} posts have no tag any more: everybody can read them`,
    );
  return words;
}

function effectWords(effect: Effect): string[] {
  const words = openedAndClosed(effect);
  if (words.length === 0) words.push('Nobody can read more or less than before');
  const { drafts } = effect.untagged;
  if (drafts > 0)
    words.push(
      drafts === 1
        ? '1 draft has no tag any more: everybody can read it once it is published'
        : `${number(drafts)} drafts have no tag any more: everybody can read them once they are published`,
    );
  return words;
}

/** Up to this many tags are shown without a field that finds them. */
const findableFrom = 12;
/** More tags than these are found by typing. */
const tagsShown = 100;

type ChoicesProps = {
  tags: readonly Carried[];
  wanted: Wanted;
  isDisabled: boolean;
  onWant(id: string, isOn: boolean | undefined): void;
};

/** All tags, with a field that finds some if there are many. */
function Choices({ tags, wanted, isDisabled, onWant }: ChoicesProps) {
  const [text, setText] = useState('');
  const found = tags.filter(({ name }) => tagKey(name).includes(tagKey(text)));
  if (tags.length === 0) return <p className="sub">No tags yet. Add them under Tags.</p>;
  return (
    <div className="retag">
      {tags.length > findableFrom && (
        <input
          type="search"
          className="input"
          aria-label="Find a tag"
          placeholder="Find a tag"
          autoComplete="off"
          value={text}
          onChange={event => setText(event.currentTarget.value)}
          onKeyDown={event => {
            // It empties the field, and only then closes the dialog.
            if (event.key === 'Escape' && text !== '') event.stopPropagation();
          }}
        />
      )}
      <ul aria-label="Tags">
        {found.slice(0, tagsShown).map(tag => (
          <TagChoice
            key={tag.id}
            tag={tag}
            isWanted={wanted.get(tag.id)}
            isDisabled={isDisabled}
            onWant={isOn => onWant(tag.id, isOn)}
          />
        ))}
      </ul>
      {found.length === 0 && <p className="sub">No tag has these letters.</p>}
      {found.length > tagsShown && (
        <p className="sub">and {number(found.length - tagsShown)} more: type some letters to find them</p>
      )}
    </div>
  );
}

type TagChoiceProps = {
  tag: Carried;
  isWanted: boolean | undefined;
  isDisabled: boolean;
  onWant(isOn: boolean | undefined): void;
};

function TagChoice({ tag, isWanted, isDisabled, onWant }: TagChoiceProps) {
  const id = useId();
  const { name, isListed, count, total } = tag;
  const isMixed = isWanted === undefined && count > 0 && count < total;
  const isOn = isWanted ?? count === total;
  return (
    <li>
      <label className="choice">
        <input
          type="checkbox"
          ref={box => {
            if (box !== null) box.indeterminate = isMixed;
          }}
          checked={isOn && !isMixed}
          disabled={isDisabled}
          aria-describedby={id}
          onChange={() => onWant(nextWish(tag, isWanted))}
        />
        {isListed ? name : `${name} (deleted)`}
      </label>
      <span className="sub" id={id}>
        {isWanted === undefined ? countWords(count, total) : wishWords(tag, isWanted)}
      </span>
    </li>
  );
}

/**
 * A press means all posts, the next one none, and then it is as before. No post gets a deleted tag.
 */
function nextWish({ count, total, isListed }: Carried, isWanted: boolean | undefined): boolean | undefined {
  const canAdd = isListed && count < total;
  if (isWanted === undefined) return canAdd;
  return isWanted && count > 0 ? false : undefined;
}

function countWords(count: number, total: number): string {
  if (count === 0) return '';
  return count === total ? 'all' : `${number(count)} of ${number(total)}`;
}

const wishWords = ({ count, total }: Carried, isWanted: boolean) =>
  isWanted ? `added to ${number(total - count)}` : `taken from ${number(count)}`;
