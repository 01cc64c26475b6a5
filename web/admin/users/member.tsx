import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useOperations } from '../../app/queries.tsx';
import { useSettings } from '../../app/site.tsx';
import { useToast } from '../../app/toasts.tsx';
import { useDialogs } from '../../ui/dialogs.tsx';
import { RowAction } from '../../ui/row-action.tsx';
import { leaveRow } from '../layout.tsx';
import { type NamedTags, useNamedTags } from '../tag-picker.tsx';
import { TagsCell, type TagsEdit, useTagsEdit } from '../tags-edit.tsx';
import { type Action, denial, quoted, useAction } from './action.ts';
import { useApprovalPreview } from './effect.tsx';
import { listedUser, placeUser, reloadRequests, type User } from './query.ts';
import { RemoveFace } from './remove-face.tsx';
import { Row } from './user-row.tsx';

type MemberRowProps = { user: User; tags: readonly string[]; isBack: boolean };

/**
 * A member's row: their tags, which can be changed once the effect has been shown, and the button to revoke
 * the approval.
 */
export function MemberRow({ user, tags, isBack }: MemberRowProps) {
  const row = useRef<HTMLTableRowElement>(null);
  const action = useAction(user);
  const client = useQueryClient();
  const edit = useTagsEdit(user.approvedTags, user.version, () => listedUser(client, user.id)?.version);
  const dialogs = useDialogs();
  const revoke = async () => {
    const isSure = await dialogs.confirm(
      `Revoke the approval of ${user.username}? They are signed out and can only read what visitors can read.`,
      { action: 'Revoke', isDangerous: true },
    );
    if (!isSure) return;
    leaveRow(row.current);
    action.mutate(denial(user));
  };
  if (edit.isEditing) return <MemberEdit user={user} tags={tags} edit={edit} action={action} />;
  return (
    <Row ref={row} user={user} moment={user.approvedAt} isBack={isBack}>
      <td>
        {user.approvedTags.length === 0 ? (
          <span className="sub">No approved tags</span>
        ) : (
          user.approvedTags.map(name => (tags.includes(name) ? name : `${name} (deleted)`)).join(', ')
        )}
      </td>
      <td>
        <div className="acts">
          <RowAction ref={edit.opener} verb="Edit" name={user.username} onClick={edit.begin} />
          <RowAction verb="Revoke" name={user.username} isDangerous onClick={revoke} />
        </div>
      </td>
    </Row>
  );
}

type MemberEditProps = Omit<MemberRowProps, 'isBack'> & {
  edit: TagsEdit;
  action: ReturnType<typeof useAction>;
};

function MemberEdit({ user, tags, edit, action }: MemberEditProps) {
  const { chosen, version, isChanged } = edit;
  const row = useRef<HTMLTableRowElement>(null);
  const preview = useApprovalPreview(user, chosen, isChanged);
  const act = (next: Action) => action.mutate(next, edit.afterSave);
  // Tags that were chosen and are not saved stay.
  const actBeside = (next: Action) => (isChanged ? action.mutate(next) : act(next));
  const named = useNamedTags();
  const { sendsMail } = useSettings();
  const [tellsMember, setTellsMember] = useState(false);
  const isGiven = chosen.some(tag => !user.approvedTags.includes(tag));
  const save = () => {
    if (!isChanged) return edit.stop();
    act({
      failure: 'Failed to save the tags for',
      success: changeWords(user.approvedTags, [...chosen]),
      expected: { ...user, approvedTags: [...chosen] },
      send: call =>
        call('setApprovedTags', {
          userId: user.id,
          ...named(chosen),
          version,
          ...(isGiven && tellsMember && { tellsMember }),
        }),
      next: saved => <UndoTags user={saved} before={named(user.approvedTags)} />,
    });
  };
  return (
    <Row ref={row} user={user} moment={user.approvedAt}>
      <TagsCell
        label={`Tags for ${user.username}`}
        saveLabel={`Save ${user.username}`}
        name={user.username}
        listed={tags}
        edit={edit}
        preview={isChanged ? preview : undefined}
        choice={
          sendsMail &&
          isGiven && (
            <label className="choice">
              <input
                type="checkbox"
                checked={tellsMember}
                disabled={action.isPending}
                onChange={event => setTellsMember(event.currentTarget.checked)}
              />
              Email them about these posts, if they subscribe
            </label>
          )
        }
        isSaving={action.isPending}
        onSave={save}
      >
        <RoleButtons
          user={user}
          onAct={actBeside}
          onPromote={promotion => {
            // The row moves to another list.
            leaveRow(row.current);
            action.mutate(promotion);
          }}
        />
        <RemoveFace user={user} onAct={actBeside} />
      </TagsCell>
    </Row>
  );
}

/** A change of tags in words: 'may now read “family”, and no longer “friends”'. */
function changeWords(before: readonly string[], after: readonly string[]): string {
  const gained = quoted(after.filter(tag => !before.includes(tag)));
  const lost = quoted(before.filter(tag => !after.includes(tag)));
  if (gained === '') return `may no longer read ${lost}`;
  return `may now read ${gained}${lost === '' ? '' : `, and no longer ${lost}`}`;
}

/** The button of the toast that gives a member the tags of before. The page may have been left meanwhile. */
function UndoTags({ user, before }: { user: User; before: NamedTags }) {
  const { call, client } = useOperations();
  const toast = useToast();
  const undo = useMutation({
    mutationFn: () => call('setApprovedTags', { userId: user.id, ...before, version: user.version }),
    onSuccess: async answer => {
      placeUser(client, answer.user);
      toast({ text: `${user.name} has the tags of before.` });
      await reloadRequests(client);
    },
    onError: async ({ message }) => {
      toast({ text: `Failed to undo the change of ${user.username}. ${message}`, stays: true });
      await client.invalidateQueries({ queryKey: ['getUsers'] });
    },
  });
  return (
    <button type="button" className="quiet" aria-busy={undo.isPending} onClick={() => undo.mutate()}>
      Undo
    </button>
  );
}

type RoleButtonsProps = { user: User; onAct(action: Action): void; onPromote(action: Action): void };

/** The buttons that change a member's role: author, muted, admin. */
function RoleButtons({ user, onAct, onPromote }: RoleButtonsProps) {
  const dialogs = useDialogs();
  const promote = async () => {
    const isSure = await dialogs.confirm(
      `Make ${user.username} an admin? Admins can read every post and draft and change everything on the site.`,
      { action: 'Make admin' },
    );
    if (!isSure) return;
    onPromote({
      failure: 'Failed to make admin:',
      success: 'is now an admin',
      expected: { ...user, isAdmin: true },
      send: call => call('setAdmin', { userId: user.id, isAdmin: true }),
    });
  };
  const changeAuthor = async () => {
    const isAuthor = !user.isAuthor;
    const isSure = await dialogs.confirm(
      isAuthor
        ? `Make ${user.username} an author? Authors write, edit and delete posts of their own, with tags that they may read themselves, and delete comments on these.`
        : `Remove ${user.username} as an author? Their posts stay, and only admins can change them then.`,
      { action: isAuthor ? 'Make author' : 'Remove author', isDangerous: !isAuthor },
    );
    if (!isSure) return;
    onAct({
      failure: isAuthor ? 'Failed to make author:' : 'Failed to remove author:',
      success: isAuthor ? 'is now an author' : 'is no longer an author',
      expected: { ...user, isAuthor },
      send: call => call('setAuthor', { userId: user.id, isAuthor }),
    });
  };
  const changeMuted = async () => {
    const isMuted = !user.isMuted;
    const text = `Mute ${user.username}? They read comments as before, and write none until you unmute them.`;
    if (isMuted && !(await dialogs.confirm(text, { action: 'Mute', isDangerous: true }))) return;
    onAct({
      failure: isMuted ? 'Failed to mute:' : 'Failed to unmute:',
      success: isMuted ? 'is muted' : 'may write comments again',
      expected: { ...user, isMuted },
      send: call => call('setMuted', { userId: user.id, isMuted }),
    });
  };
  return (
    <>
      <button
        type="button"
        className="quiet"
        aria-label={`${user.isAuthor ? 'Remove author' : 'Make author'}: ${user.username}`}
        onClick={changeAuthor}
      >
        {user.isAuthor ? 'Remove author' : 'Make author'}
      </button>
      <button
        type="button"
        className="quiet"
        aria-label={`${user.isMuted ? 'Unmute' : 'Mute'}: ${user.username}`}
        onClick={changeMuted}
      >
        {user.isMuted ? 'Unmute' : 'Mute'}
      </button>
      <button type="button" className="quiet" aria-label={`Make admin: ${user.username}`} onClick={promote}>
        Make admin
      </button>
    </>
  );
}
