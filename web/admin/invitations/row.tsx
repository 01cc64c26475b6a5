import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Ref, useRef } from 'react';
import type { Call } from '../../../contract/operations.ts';
import { DateTime } from '../../app/date.tsx';
import { useCall } from '../../app/operations.tsx';
import { useDialogs } from '../../ui/dialogs.tsx';
import { RowAction } from '../../ui/row-action.tsx';
import { useReport } from '../layout.tsx';
import { useNamedTags } from '../tag-picker.tsx';
import { TagsCell, type TagsEdit, useTagsEdit } from '../tags-edit.tsx';
import { useNewMemberPreview } from './new.tsx';
import { type Invitation, listedInvitation } from './query.ts';

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
  const client = useQueryClient();
  const act = useInvitationAction();
  const edit = useTagsEdit(
    invitation.tags,
    invitation.version,
    () => listedInvitation(client, invitation.id)?.version,
  );
  const name = nameOf(invitation);
  const isOpen = invitation.state === 'open';
  const revoke = async () => {
    const isSure = await dialogs.confirm(
      `Revoke the invitation “${name}”? People who joined by it keep their accounts.`,
      { action: 'Revoke', isDangerous: true },
    );
    if (!isSure) return;
    // The button is removed, but the row stays.
    heading.current?.focus();
    act.mutate({
      failure: `Failed to revoke “${name}”.`,
      success: `“${name}” is revoked.`,
      send: call => call('revokeInvitation', { invitationId: invitation.id }),
    });
  };
  return (
    <tr>
      <NameCell ref={heading} invitation={invitation} />
      <UsesCell {...invitation} />
      {edit.isEditing ? (
        <EditedTags invitation={invitation} tags={tags} edit={edit} act={act} />
      ) : (
        <>
          <td>
            {invitation.tags.length === 0 ? <span className="sub">No tags</span> : invitation.tags.join(', ')}
          </td>
          <td>
            {isOpen && (
              <div className="acts">
                <RowAction ref={edit.opener} verb="Edit" name={name} onClick={edit.begin} />
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
        <span>{isMailed ? 'mailed ' : 'made '}</span>
        <DateTime moment={createdAt} />
      </span>
    </th>
  );
}

/** Who joined by an invitation, and whether it can still be used. */
function UsesCell({ uses, maxUses, joined, state, expiresAt }: Invitation) {
  return (
    <td>
      <span>
        {maxUses > 1 ? `${uses} of ${maxUses} joined` : uses === 1 ? 'has joined' : 'has not joined yet'}
      </span>
      {joined.length > 0 && <span className="sub">{joined.map(({ username }) => username).join(', ')}</span>}
      <span className="sub">
        <span>{states[state]}</span>
        {state === 'open' && (
          <span>
            {' '}
            until <DateTime moment={expiresAt} />
          </span>
        )}
      </span>
    </td>
  );
}

type EditedTagsProps = RowProps & { edit: TagsEdit; act: ReturnType<typeof useInvitationAction> };

function EditedTags({ invitation, tags, edit, act }: EditedTagsProps) {
  const name = nameOf(invitation);
  const preview = useNewMemberPreview(edit.chosen, true);
  const named = useNamedTags();
  const save = () =>
    act.mutate(
      {
        failure: `Failed to save the tags of “${name}”.`,
        success: `“${name}” has new tags.`,
        send: call =>
          call('setInvitationTags', {
            invitationId: invitation.id,
            ...named(edit.chosen),
            version: edit.version,
          }),
      },
      edit.afterSave,
    );
  return (
    <TagsCell
      label={`Tags of ${name}`}
      saveLabel={`Save the tags of ${name}`}
      name={name}
      listed={tags}
      edit={edit}
      preview={preview}
      isSaving={act.isPending}
      onSave={save}
    />
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
