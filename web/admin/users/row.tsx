import { useEffect, useId, useRef } from 'react';
import { BusyButton } from '../../ui/busy-button.tsx';
import { useDialogs } from '../../ui/dialogs.tsx';
import { RowAction } from '../../ui/row-action.tsx';
import { leaveRow } from '../layout.tsx';
import { EffectText } from '../preview.tsx';
import { TagPicker } from '../tag-picker.tsx';
import { approval, decisionWords, denial, undo, useAction, useIsActing } from './action.ts';
import type { Choices } from './choices.ts';
import { useApprovalPreview } from './effect.tsx';
import type { User, UserList } from './query.ts';
import { Row } from './user-row.tsx';

type UndecidedRowProps = {
  user: User;
  tags: readonly string[];
  choices: Choices;
  isBack: boolean;
};

/** The row of a pending or denied user, who is approved with the tags chosen in it. */
export function UndecidedRow({ user, tags, choices, isBack }: UndecidedRowProps) {
  const isPending = user.status === 'pending';
  const effectId = useId();
  const chosen = choices.tagsOf(user);
  const action = useAction(user);
  const isTold = chosen.length > 0;
  const { words, isUncertain } = useApprovalPreview(user, chosen, isTold);
  return (
    <Row
      user={user}
      moment={user.deniedAt ?? user.createdAt}
      choices={isPending ? choices : undefined}
      isBack={isBack}
    >
      <td>
        {user.introduction !== null && (
          <p className="introduction" dir="auto">
            “{user.introduction}”
          </p>
        )}
        <TagPicker
          label={`Tags for ${user.username}`}
          listed={tags}
          chosen={chosen}
          onChange={next => choices.choose(user, next)}
        />
        {isTold && <EffectText id={effectId} words={words} isSilent={choices.isInBatch(user)} />}
      </td>
      <td>
        <div className="acts">
          <RowAction
            verb="Approve"
            name={user.username}
            aria-describedby={isTold ? effectId : undefined}
            disabled={isUncertain}
            onClick={() => action.mutate(approval(user, choices.namedTagsOf(user)))}
          />
          {isPending && (
            <RowAction
              verb="Deny"
              name={user.username}
              isDangerous
              onClick={() => action.mutate(denial(user))}
            />
          )}
        </div>
      </td>
    </Row>
  );
}

/**
 * The row of a user after a decision, with the decision in words. The button to undo it is next to the words,
 * not under the pointer, so that a second click does nothing.
 */
export function DecidedRow({ user, list }: { user: User; list: UserList }) {
  const cell = useRef<HTMLTableCellElement>(null);
  const action = useAction(user);
  const isActing = useIsActing(user.id);
  // The focused button was removed; the focus must not move to the next user.
  useEffect(() => {
    if (document.activeElement === document.body) cell.current?.focus({ preventScroll: true });
  }, []);
  const { username } = user;
  return (
    <Row user={user} moment={null}>
      <td ref={cell} tabIndex={-1}>
        <div className="decided">
          <span>{`${username} ${decisionWords(user)}.`}</span>
          <BusyButton
            className="quiet"
            aria-label={`Undo: ${username}`}
            isBusy={isActing}
            onClick={() => action.mutate(undo(user, list))}
          >
            Undo
          </BusyButton>
        </div>
      </td>
      <td />
    </Row>
  );
}

/** The row of an admin, who reads everything; the last one cannot be removed. */
export function AdminRow({ user, isLast }: { user: User; isLast: boolean }) {
  const row = useRef<HTMLTableRowElement>(null);
  const action = useAction(user);
  const dialogs = useDialogs();
  const demote = async () => {
    const isSure = await dialogs.confirm(
      `Remove ${user.username} as an admin? They stay an approved member with their own tags.`,
      { action: 'Remove admin', isDangerous: true },
    );
    if (!isSure) return;
    leaveRow(row.current);
    action.mutate({
      failure: 'Failed to remove admin:',
      success: 'is no longer an admin',
      expected: { ...user, isAdmin: false },
      send: call => call('setAdmin', { userId: user.id, isAdmin: false }),
    });
  };
  return (
    <Row ref={row} user={user} moment={user.createdAt}>
      <td>
        <span className="sub">Can read and change everything</span>
      </td>
      <td>
        <div className="acts">
          {isLast ? (
            <span className="sub">The last admin can’t be removed</span>
          ) : (
            <button
              type="button"
              className="quiet danger"
              aria-label={`Remove admin: ${user.username}`}
              onClick={demote}
            >
              Remove admin
            </button>
          )}
        </div>
      </td>
    </Row>
  );
}
