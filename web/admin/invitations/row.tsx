import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Ref, type RefObject, useRef } from 'react';
import type { Call } from '../../../contract/operations.ts';
import { DateTime } from '../../app/date.tsx';
import { useSettings } from '../../app/site.tsx';
import { useDialogs } from '../../ui/dialogs.tsx';
import { RowAction } from '../../ui/row-action.tsx';
import { useAdminOperations } from '../layout.tsx';
import { useNamedTags } from '../tag-picker.tsx';
import { TagsCell, type TagsEdit, useTagsEdit } from '../tags-edit.tsx';
import { useNewMemberPreview } from './new.tsx';
import { type Invitation, listedInvitation } from './query.ts';

type RowProps = {
  invitation: Invitation;
  tags: readonly string[];
  /** Whether a newer invitation of the list is for the same address, which ended this one. */
  isReplaced: boolean;
};

const states = { open: 'open', used: 'used up', expired: 'expired', ended: 'revoked' } as const;

function nameOf({ name, email }: Invitation): string {
  return email ?? name ?? 'Link without a name';
}

/** An invitation: whom it is for, its tags, who joined by it, and when it ends. */
export function InvitationRow({ invitation, tags, isReplaced }: RowProps) {
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
      send: async call => {
        await call('revokeInvitation', { invitationId: invitation.id });
        return `“${name}” is revoked.`;
      },
    });
  };
  const sendAgain = useSendAgain(invitation, act, heading);
  return (
    <tr>
      <NameCell ref={heading} invitation={invitation} />
      <UsesCell invitation={invitation} isReplaced={isReplaced} />
      {edit.isEditing ? (
        <EditedTags invitation={invitation} tags={tags} edit={edit} act={act} />
      ) : (
        <>
          <td>
            {invitation.tags.length === 0 ? <span className="sub">No tags</span> : invitation.tags.join(', ')}
          </td>
          <td>
            <div className="acts">
              {sendAgain !== null && (
                <RowAction
                  verb="Send again"
                  name={name}
                  label={`Send the invitation of ${name} again`}
                  disabled={act.isPending}
                  onClick={sendAgain}
                />
              )}
              {isOpen && (
                <>
                  <RowAction ref={edit.opener} verb="Edit" name={name} onClick={edit.begin} />
                  <RowAction
                    verb="Revoke"
                    name={name}
                    isDangerous
                    disabled={act.isPending}
                    onClick={revoke}
                  />
                </>
              )}
            </div>
          </td>
        </>
      )}
    </tr>
  );
}

const dayMs = 24 * 60 * 60 * 1_000;

/**
 * Invites the address of a mailed invitation anew, with the same tags and for as many days, which ends the
 * earlier link: it is known only to the mail. Null where that is not possible.
 */
function useSendAgain(
  invitation: Invitation,
  act: ReturnType<typeof useInvitationAction>,
  heading: RefObject<HTMLElement | null>,
) {
  const dialogs = useDialogs();
  const { sendsMail } = useSettings();
  const named = useNamedTags();
  const { email, name, tags, state, isMailed, createdAt, expiresAt } = invitation;
  if (email === null || !isMailed || !sendsMail || (state !== 'open' && state !== 'expired')) return null;
  return async () => {
    const withTags = tags.length === 0 ? 'without tags' : `with ${tags.join(', ')}`;
    const isSure = await dialogs.confirm(
      `Mail ${email} a new invitation, ${withTags}? The link in the earlier mail no longer works then.`,
      { action: 'Send again' },
    );
    if (!isSure) return;
    // The button is removed, but the row stays.
    heading.current?.focus();
    act.mutate({
      failure: `Failed to invite ${email} again.`,
      send: async call => {
        const { known } = await call('createInvitations', {
          ...named(tags),
          expiresInDays: Math.round((Date.parse(expiresAt) - Date.parse(createdAt)) / dayMs),
          for: [{ email, ...(name !== null && { name }) }],
        });
        return known.length === 0
          ? `A new invitation is on its way to ${email}.`
          : `${email} has an account already. See Users.`;
      },
    });
  };
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
function UsesCell({ invitation, isReplaced }: Omit<RowProps, 'tags'>) {
  const { uses, maxUses, joined, state, expiresAt } = invitation;
  return (
    <td>
      <span>
        {maxUses > 1 ? `${uses} of ${maxUses} joined` : uses === 1 ? 'has joined' : 'has not joined yet'}
      </span>
      {joined.length > 0 && <span className="sub">{joined.map(({ username }) => username).join(', ')}</span>}
      <span className="sub">
        <span>{state === 'ended' && isReplaced ? 'replaced by a newer one' : states[state]}</span>
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

type EditedTagsProps = Omit<RowProps, 'isReplaced'> & {
  edit: TagsEdit;
  act: ReturnType<typeof useInvitationAction>;
};

function EditedTags({ invitation, tags, edit, act }: EditedTagsProps) {
  const name = nameOf(invitation);
  const preview = useNewMemberPreview(edit.chosen, true);
  const named = useNamedTags();
  const save = () =>
    act.mutate(
      {
        failure: `Failed to save the tags of “${name}”.`,
        send: async call => {
          await call('setInvitationTags', {
            invitationId: invitation.id,
            ...named(edit.chosen),
            version: edit.version,
          });
          return `“${name}” has new tags.`;
        },
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

/** `send` resolves to the words that say that it is done. */
type Action = { failure: string; send(call: Call): Promise<string> };

function useInvitationAction() {
  const { call, client, report } = useAdminOperations();
  return useMutation({
    mutationFn: (action: Action) => action.send(call),
    onSuccess: words => report.done(words),
    onError: (error, { failure }) => report.failed(failure, error),
    onSettled: () => client.invalidateQueries({ queryKey: ['listInvitations'] }),
  });
}
