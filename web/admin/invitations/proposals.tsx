import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import type { Output } from '../../../contract/operations.ts';
import type { Proposal } from '../../../contract/proposals.ts';
import { DateTime } from '../../app/date.tsx';
import { operationQuery, useCall } from '../../app/queries.tsx';
import { useSettings } from '../../app/site.tsx';
import { useDialogs } from '../../ui/dialogs.tsx';
import { isComposing } from '../../ui/is-composing.ts';
import { onForm } from '../../ui/on-form.ts';
import { RowAction } from '../../ui/row-action.tsx';
import { Section } from '../../ui/section.tsx';
import { useFocusReturn } from '../../ui/use-focus-return.ts';
import { isGone, leaveRow, useAdminOperations } from '../layout.tsx';
import { Oldest } from '../oldest.tsx';
import { EffectText } from '../preview.tsx';
import { TagPicker, useNamedTags } from '../tag-picker.tsx';
import { MadeInvitations } from './made.tsx';
import { useNewMemberPreview } from './new.tsx';

type Made = Output<'acceptProposal'>;

type ListProps = { tags: readonly string[] };

/** The open proposals; nothing if there are none. */
export function Proposals({ tags }: ListProps) {
  const { proposals, total } = useSuspenseQuery(operationQuery(useCall(), 'listProposals', {})).data;
  const [made, setMade] = useState<Made>();
  const [times, setTimes] = useState(0);
  const onMade = (answer: Made) => {
    setMade(answer);
    setTimes(before => before + 1);
  };
  return (
    <>
      {made !== undefined && <MadeInvitations key={times} {...made} />}
      {proposals.length > 0 && (
        <Section title="Proposed by members" id="proposals">
          <ul>
            {proposals.map(proposal => (
              <Entry
                key={`${proposal.userId} ${proposal.email}`}
                proposal={proposal}
                tags={tags}
                onMade={onMade}
              />
            ))}
          </ul>
          <Oldest listed={proposals.length} total={total} />
        </Section>
      )}
    </>
  );
}

type EntryProps = ListProps & { proposal: Proposal; onMade(made: Made): void };

function Entry({ proposal, tags, onMade }: EntryProps) {
  const { userId, username, email, name, word, createdAt, knownAs, deniedAt } = proposal;
  const { call, client, report } = useAdminOperations();
  const { confirm } = useDialogs();
  const [isChoosing, setChoosing] = useState(false);
  const row = useRef<HTMLLIElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  useFocusReturn(opener, isChoosing);
  const decline = useMutation({
    mutationFn: () => call('declineProposal', { userId, email }),
    onSuccess: () => {
      report.done('Proposal removed.');
      leaveRow(row.current);
    },
    onError: error => {
      report.failed('Failed to remove the proposal.', error);
      if (isGone(error)) leaveRow(row.current);
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['listProposals'] }),
  });
  const ask = async () => {
    const question = `Remove the proposal of ${name}? ${username} is not told.`;
    if (await confirm(question, { action: 'Remove' })) decline.mutate();
  };
  return (
    <li ref={row} className="entry">
      <p>
        <strong>{username}</strong> proposes <bdi>{name}</bdi> ({email})
        <span>
          , <DateTime moment={createdAt} />
        </span>
      </p>
      {word !== '' && (
        <p className="words" dir="auto">
          {word}
        </p>
      )}
      {knownAs !== null && <p className="hint">{knownAs} has an account with this address already.</p>}
      {deniedAt !== null && (
        <p className="hint">
          An account with this address was denied on <DateTime moment={deniedAt} />.
        </p>
      )}
      {isChoosing ? (
        <Invite
          proposal={proposal}
          tags={tags}
          onMade={onMade}
          onLeave={() => leaveRow(row.current)}
          onCancel={() => setChoosing(false)}
        />
      ) : (
        <div className="acts">
          {knownAs === null && (
            <RowAction ref={opener} verb="Invite" name={name} onClick={() => setChoosing(true)} />
          )}
          <RowAction verb="Not now" name={name} isBusy={decline.isPending} onClick={() => void ask()} />
        </div>
      )}
    </li>
  );
}

type InviteProps = EntryProps & { onLeave(): void; onCancel(): void };

/** Chooses the tags of a proposed person, and invites them. */
function Invite({ proposal: { userId, email, name }, tags, onMade, onLeave, onCancel }: InviteProps) {
  const id = useId();
  const { call, client, report } = useAdminOperations();
  const { sendsMail } = useSettings();
  const named = useNamedTags();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const { words, isUncertain } = useNewMemberPreview(chosen, true);
  const accept = useMutation({
    mutationFn: () => call('acceptProposal', { userId, email, ...named(chosen) }),
    onSuccess: onMade,
    onError: error => {
      report.failed(`Failed to invite ${name}.`, error);
      if (isGone(error)) onLeave();
    },
    onSettled: () =>
      Promise.all(
        ['listProposals', 'listInvitations'].map(query => client.invalidateQueries({ queryKey: [query] })),
      ),
  });
  const form = useRef<HTMLFormElement>(null);
  // The button that opened it is removed, so the focus moves.
  useEffect(() => form.current?.querySelector<HTMLElement>('button, input')?.focus(), []);
  return (
    <form
      ref={form}
      className="form narrow"
      aria-label={`Invite ${name}`}
      onSubmit={onForm(() => {
        if (!accept.isPending && !isUncertain) accept.mutate();
      })}
      onKeyDown={event => event.key === 'Escape' && !isComposing(event) && !accept.isPending && onCancel()}
    >
      <div className="field">
        <span>Choose the tags that they may read</span>
        <TagPicker
          label={`Tags of ${name}`}
          listed={tags}
          chosen={chosen}
          isDisabled={accept.isPending}
          onChange={setChosen}
        />
        <EffectText id={`${id}-effect`} words={words} />
      </div>
      <div className="acts">
        <button
          type="submit"
          className="button primary"
          aria-busy={accept.isPending}
          aria-describedby={`${id}-effect`}
          disabled={isUncertain}
        >
          {sendsMail ? 'Send invitation' : 'Create link'}
        </button>
        <RowAction verb="Cancel" name={`inviting ${name}`} disabled={accept.isPending} onClick={onCancel} />
      </div>
    </form>
  );
}
