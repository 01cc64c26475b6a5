import { useId, useRef, useState } from 'react';
import { useDialogs } from '../../ui/dialogs.tsx';
import { EffectText } from '../effect-text.tsx';
import { leaveRow } from '../layout.tsx';
import { TagPicker } from '../tag-picker.tsx';
import { type Action, approval, denial, Row, useAction } from './action.tsx';
import { approvalWords, useApprovalEffect } from './effect.tsx';
import type { User } from './query.ts';

/** Somebody who waits, or was denied: approved with the tags chosen in the same row. */
export function UndecidedRow({ user, tags }: { user: User; tags: readonly string[] }) {
  const row = useRef<HTMLTableRowElement>(null);
  const effectId = useId();
  const [chosen, setChosen] = useState<readonly string[]>(user.approvedTags);
  const action = useAction(user);
  const isTold = chosen.length > 0;
  const effect = useApprovalEffect(user.id, chosen, isTold);
  const isUncertain = isTold && (effect.isPending || effect.isPlaceholderData);
  const decide = (next: Action) => {
    leaveRow(row.current);
    action.mutate(next);
  };
  return (
    <Row ref={row} user={user} moment={user.deniedAt ?? user.createdAt}>
      <td>
        <TagPicker label={`Tags for ${user.username}`} listed={tags} chosen={chosen} onChange={setChosen} />
        {isTold && <EffectText id={effectId} words={approvalWords(user.username, effect)} />}
      </td>
      <td>
        <div className="acts">
          <button
            type="button"
            className="quiet"
            aria-label={`Approve ${user.username}`}
            aria-describedby={isTold ? effectId : undefined}
            disabled={isUncertain}
            onClick={() => decide(approval(user, chosen))}
          >
            Approve
          </button>
          {user.status === 'pending' && (
            <button
              type="button"
              className="quiet danger"
              aria-label={`Deny ${user.username}`}
              onClick={() => decide(denial(user))}
            >
              Deny
            </button>
          )}
        </div>
      </td>
    </Row>
  );
}

/** An admin, who reads everything; the last one stays. */
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
