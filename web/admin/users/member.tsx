import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import { AppError } from '../../../contract/errors.ts';
import { BusyButton } from '../../ui/busy-button.tsx';
import { useDialogs } from '../../ui/dialogs.tsx';
import { RowAction } from '../../ui/row-action.tsx';
import { useFocusReturn } from '../../ui/use-focus-return.ts';
import { leaveRow } from '../layout.tsx';
import { EffectText } from '../preview.tsx';
import { TagPicker } from '../tag-picker.tsx';
import { type Action, denial, Row, useAction } from './action.tsx';
import { useApprovalPreview } from './effect.tsx';
import { listedUser, type User } from './query.ts';

type MemberRowProps = { user: User; tags: readonly string[] };
/**
 * The tags that are chosen, and those that the admin knows the member to have. The list may be loaded again meanwhile,
 * which changes `seen` only after a refusal that says so.
 */
type Editing = { chosen: readonly string[]; seen: readonly string[] };

function same(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every(name => other.includes(name));
}

/** The edit of a member's tags, from its beginning until it is saved. */
function useTagsEdit(user: User, action: ReturnType<typeof useAction>) {
  const client = useQueryClient();
  const [editing, setEditing] = useState<Editing | null>(null);
  const stop = () => setEditing(null);
  return {
    editing,
    begin: () => setEditing({ chosen: user.approvedTags, seen: user.approvedTags }),
    choose: (chosen: readonly string[]) => setEditing(before => before && { ...before, chosen }),
    stop,
    isSaving: action.isPending,
    /** The chosen tags stay until they are saved. */
    act: (next: Action) =>
      action.mutate(next, {
        onSuccess: stop,
        onError: error => {
          if (editing === null || !(error instanceof AppError) || error.code !== 'aborted') return;
          const seen = listedUser(client, user.id)?.approvedTags ?? editing.seen;
          // An edit that was begun during the save keeps its own.
          setEditing(before => (before?.seen === editing.seen ? { ...before, seen } : before));
        },
      }),
  };
}

/**
 * A member's row: their tags, which can be changed once the effect has been shown, and the button to revoke the
 * approval.
 */
export function MemberRow({ user, tags }: MemberRowProps) {
  const row = useRef<HTMLTableRowElement>(null);
  const edit = useRef<HTMLButtonElement>(null);
  const action = useAction(user);
  const tagsEdit = useTagsEdit(user, action);
  const { editing } = tagsEdit;
  const dialogs = useDialogs();
  useFocusReturn(edit, editing !== null);
  const revoke = async () => {
    const isSure = await dialogs.confirm(
      `Revoke the approval of ${user.username}? They are signed out and can only read what visitors can read.`,
      { action: 'Revoke', isDangerous: true },
    );
    if (!isSure) return;
    leaveRow(row.current);
    action.mutate(denial(user));
  };
  if (editing !== null) {
    return <MemberEdit user={user} tags={tags} {...tagsEdit} editing={editing} onPromote={action.mutate} />;
  }
  return (
    <Row ref={row} user={user} moment={user.approvedAt}>
      <td>
        {user.approvedTags.length === 0 ? (
          <span className="sub">No approved tags</span>
        ) : (
          user.approvedTags.map(name => (tags.includes(name) ? name : `${name} (deleted)`)).join(', ')
        )}
      </td>
      <td>
        <div className="acts">
          <RowAction ref={edit} verb="Edit" name={user.username} onClick={tagsEdit.begin} />
          <RowAction verb="Revoke" name={user.username} isDangerous onClick={revoke} />
        </div>
      </td>
    </Row>
  );
}

type MemberEditProps = MemberRowProps &
  ReturnType<typeof useTagsEdit> & {
    editing: Editing;
    /** After it the row moves to another list. */
    onPromote(action: Action): void;
  };

function MemberEdit({ user, tags, editing, isSaving, choose, stop, act, onPromote }: MemberEditProps) {
  const { chosen, seen } = editing;
  const effectId = useId();
  const cell = useRef<HTMLTableCellElement>(null);
  useEffect(() => cell.current?.querySelector<HTMLElement>('button, input')?.focus(), []);
  const isChanged = !same(chosen, user.approvedTags);
  const { words, isUncertain } = useApprovalPreview(user, chosen, isChanged);
  const save = () => {
    if (!isChanged) return stop();
    act({
      failure: 'Failed to save the tags for',
      success: 'has been updated',
      expected: { ...user, approvedTags: [...chosen] },
      send: call => call('setApprovedTags', { userId: user.id, tags: [...chosen], seenTags: [...seen] }),
    });
  };
  return (
    <Row user={user} moment={user.approvedAt} onEscape={stop}>
      <td ref={cell} colSpan={2} className="editing">
        <TagPicker label={`Tags for ${user.username}`} listed={tags} chosen={chosen} onChange={choose} />
        {isChanged && <EffectText id={effectId} words={words} />}
        <div className="acts">
          <BusyButton
            className="quiet"
            isBusy={isSaving}
            aria-label={`Save ${user.username}`}
            aria-describedby={isChanged ? effectId : undefined}
            disabled={isUncertain}
            onClick={save}
          >
            {isSaving ? 'Saving...' : 'Save'}
          </BusyButton>
          <RowAction verb="Cancel" name={`editing ${user.username}`} onClick={stop} />
          <RoleButtons
            user={user}
            act={act}
            onPromote={action => {
              leaveRow(cell.current?.closest('tr') ?? null);
              onPromote(action);
            }}
          />
        </div>
      </td>
    </Row>
  );
}

/** The buttons that make a member an author, and no longer one, or an admin. */
function RoleButtons({ user, act, onPromote }: Pick<MemberEditProps, 'user' | 'act' | 'onPromote'>) {
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
    act({
      failure: isAuthor ? 'Failed to make author:' : 'Failed to remove author:',
      success: isAuthor ? 'is now an author' : 'is no longer an author',
      expected: { ...user, isAuthor },
      send: call => call('setAuthor', { userId: user.id, isAuthor }),
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
      <button type="button" className="quiet" aria-label={`Make admin: ${user.username}`} onClick={promote}>
        Make admin
      </button>
    </>
  );
}
