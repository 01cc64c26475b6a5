import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Ref, useEffect, useId, useRef, useState } from 'react';
import type { Call, Output } from '../../../contract/operations.ts';
import { DateTime } from '../../app/date.tsx';
import { useCall } from '../../app/operations.tsx';
import { useDialogs } from '../../ui/dialogs.tsx';
import { RowAction } from '../../ui/row-action.tsx';
import { useFocusReturn } from '../../ui/use-focus-return.ts';
import { useReport } from '../layout.tsx';
import { EffectText } from '../preview.tsx';
import { TagPicker } from '../tag-picker.tsx';
import { useNewMemberPreview } from './new.tsx';

type Invitation = Output<'listInvitations'>['invitations'][number];
type RowProps = { invitation: Invitation; tags: readonly string[] };

const states = { open: 'open', used: 'used up', expired: 'expired', ended: 'revoked' } as const;

/** The name of an invitation in one line. */
function nameOf({ name, email }: Invitation): string {
  return email ?? name ?? 'Link without a name';
}

/** An invitation: whom it is for, its tags, who joined by it, and when it ends. */
export function InvitationRow({ invitation, tags }: RowProps) {
  const dialogs = useDialogs();
  const heading = useRef<HTMLTableCellElement>(null);
  const edit = useRef<HTMLButtonElement>(null);
  const [isEditing, setEditing] = useState(false);
  useFocusReturn(edit, isEditing);
  const act = useInvitationAction();
  const name = nameOf(invitation);
  const isOpen = invitation.state === 'open';
  const revoke = async () => {
    const isSure = await dialogs.confirm(
      `Revoke the invitation ‘${name}’? People who joined by it keep their accounts.`,
      { action: 'Revoke', isDangerous: true },
    );
    if (!isSure) return;
    // The button is removed, but the row stays.
    heading.current?.focus();
    act.mutate({
      failure: `Failed to revoke ‘${name}’.`,
      success: `‘${name}’ is revoked.`,
      send: call => call('revokeInvitation', { invitationId: invitation.id }),
    });
  };
  return (
    <tr>
      <NameCell ref={heading} invitation={invitation} />
      <UsesCell {...invitation} />
      {isEditing ? (
        <TagsCell
          name={name}
          current={invitation.tags}
          tags={tags}
          onStop={() => setEditing(false)}
          onSave={(chosen, seen) => {
            setEditing(false);
            act.mutate({
              failure: `Failed to save the tags of ‘${name}’.`,
              success: `‘${name}’ has new tags.`,
              send: call =>
                call('setInvitationTags', { invitationId: invitation.id, tags: chosen, seenTags: seen }),
            });
          }}
        />
      ) : (
        <>
          <td>
            {invitation.tags.length === 0 ? <span className="sub">No tags</span> : invitation.tags.join(', ')}
          </td>
          <td>
            {isOpen && (
              <div className="acts">
                <RowAction ref={edit} verb="Edit" name={name} onClick={() => setEditing(true)} />
                <RowAction verb="Revoke" name={name} isDangerous disabled={act.isPending} onClick={revoke} />
              </div>
            )}
          </td>
        </>
      )}
    </tr>
  );
}

/** Whom an invitation is for, and when it was made. */
function NameCell({ ref, invitation }: { ref: Ref<HTMLTableCellElement>; invitation: Invitation }) {
  const { name, email, isMailed, createdAt } = invitation;
  return (
    <th scope="row" ref={ref} tabIndex={-1}>
      {nameOf(invitation)}
      {email !== null && name !== null && <span className="sub">{name}</span>}
      <span className="sub">
        {isMailed ? 'mailed ' : 'made '}
        <DateTime moment={createdAt} />
      </span>
    </th>
  );
}

/** Who joined by an invitation, and whether it can still be used. */
function UsesCell({ uses, maxUses, joined, state, expiresAt }: Invitation) {
  return (
    <td>
      {uses} of {maxUses} joined
      {joined.length > 0 && <span className="sub">{joined.map(({ username }) => username).join(', ')}</span>}
      <span className="sub">
        {states[state]}
        {state === 'open' && (
          <>
            {' '}
            until <DateTime moment={expiresAt} />
          </>
        )}
      </span>
    </td>
  );
}

type TagsCellProps = {
  name: string;
  /** The tags of the invitation. */
  current: string[];
  /** The tags of the site. */
  tags: readonly string[];
  onStop(): void;
  /** Called with the chosen tags, and with those that the choice began from. */
  onSave(chosen: string[], seen: string[]): void;
};

function TagsCell({ name, current, tags, onStop, onSave }: TagsCellProps) {
  const effectId = useId();
  // The list may be loaded again meanwhile.
  const [seen] = useState(current);
  const [chosen, setChosen] = useState<readonly string[]>(seen);
  const { words, isUncertain } = useNewMemberPreview(chosen, true);
  const cell = useRef<HTMLTableCellElement>(null);
  // The button that opened the editor is removed, so the focus moves.
  useEffect(() => cell.current?.querySelector<HTMLElement>('button, input')?.focus(), []);
  return (
    <td ref={cell} colSpan={2} className="editing" onKeyDown={event => event.key === 'Escape' && onStop()}>
      <TagPicker label={`Tags of ${name}`} listed={tags} chosen={chosen} onChange={setChosen} />
      <EffectText id={effectId} words={words} />
      <div className="acts">
        <RowAction
          verb="Save"
          name={`the tags of ${name}`}
          aria-describedby={effectId}
          disabled={isUncertain}
          onClick={() => onSave([...chosen], seen)}
        />
        <RowAction verb="Cancel" name={`editing ${name}`} onClick={onStop} />
      </div>
    </td>
  );
}

type Action = { failure: string; success: string; send(call: Call): Promise<unknown> };

function useInvitationAction() {
  const call = useCall();
  const client = useQueryClient();
  const report = useReport();
  return useMutation({
    mutationFn: (action: Action) => action.send(call),
    onSuccess: (_, { success }) => report.done(success),
    onError: (error, { failure }) => report.failed(failure, error),
    onSettled: () => client.invalidateQueries({ queryKey: ['listInvitations'] }),
  });
}
