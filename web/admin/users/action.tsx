import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode, Ref } from 'react';
import { describeStatus } from '../../../contract/accounts/status.ts';
import type { Call } from '../../../contract/operations.ts';
import { DateTime } from '../../app/date.tsx';
import { useCall } from '../../app/operations.tsx';
import { useSettings, useViewer } from '../../app/site.tsx';
import { askViewer } from '../../app/viewer.ts';
import { useReport } from '../layout.tsx';
import { placeUser, type User, type UserList } from './query.ts';

/** What one can do about an account. */
export type Action = {
  /** 'Failed to approve', and then the username. */
  failure: string;
  /** The username, and then 'is approved'. */
  success: string;
  /** The account as it will be, shown at once; the server's answer corrects it. */
  expected: User;
  send(call: Call): Promise<{ user: User }>;
};

export function useAction(user: User) {
  const client = useQueryClient();
  const call = useCall();
  const report = useReport();
  const viewer = useViewer();
  return useMutation({
    mutationFn: (action: Action) => action.send(call),
    onMutate: async ({ expected }) => {
      await client.cancelQueries({ queryKey: ['getUsers'] });
      placeUser(client, expected);
      return user;
    },
    onSuccess: async (answer, { success }) => {
      placeUser(client, answer.user);
      report.done(`${user.username} ${success}.`);
      // An admin who gave up the role may not see this page any more.
      if (user.id === viewer.user?.id) await askViewer(client, call).catch(() => {});
    },
    onError: async (error, { failure }, before) => {
      // The row is put back first: loading the list may fail, too.
      if (before !== undefined) placeUser(client, before);
      report.failed(`${failure} ${user.username}.`, error);
      await client.invalidateQueries({ queryKey: ['getUsers'] });
    },
  });
}

export function approval(user: User, tags: readonly string[]): Action {
  return {
    failure: 'Failed to approve',
    success: decisionWords({ status: 'approved', approvedTags: tags }),
    expected: { ...user, ...describeStatus('approved'), approvedTags: [...tags] },
    send: call => call('approveUser', { userId: user.id, tags: [...tags], seenStatus: user.status }),
  };
}

/** What was decided: 'is approved with family and friends'. */
export function decisionWords({
  status,
  approvedTags,
}: {
  status: User['status'];
  approvedTags: readonly string[];
}): string {
  if (status !== 'approved') return status === 'denied' ? 'is denied' : 'waits for approval';
  if (approvedTags.length === 0) return 'is approved, with no tags of their own';
  return `is approved with ${new Intl.ListFormat('en').format(approvedTags)}`;
}

export function denial(user: User): Action {
  const isRevocation = user.status === 'approved';
  return {
    failure: isRevocation ? 'Failed to revoke the approval of' : 'Failed to deny',
    success: isRevocation ? 'is no longer approved' : 'is denied',
    expected: { ...user, ...describeStatus('denied'), isAuthor: false },
    send: call => call('denyUser', { userId: user.id, seenStatus: user.status }),
  };
}

/** Takes back the last decision about somebody in a list: they are again as this list has them. */
export function undo(user: User, list: UserList): Action {
  const status = list === 'denied' ? 'denied' : 'pending';
  return {
    failure: 'Failed to take back the decision about',
    success: decisionWords({ status, approvedTags: [] }),
    expected: { ...user, ...describeStatus(status), isUnconfirmed: list === 'unconfirmed' },
    send: call => call('undoDecision', { userId: user.id, seenStatus: user.status }),
  };
}

type RowFrameProps = {
  ref?: Ref<HTMLTableRowElement>;
  user: User;
  moment: string | null;
  onEscape?(): void;
  /** Where they can be selected, by a box before the name. */
  selection?: { isSelected: boolean; onSelect(isSelected: boolean): void } | undefined;
  children: ReactNode;
};

/** A user's row: who they are, then what the list says of them. */
export function Row({ ref, user, moment, onEscape, selection, children }: RowFrameProps) {
  // Where no mail is sent hardly anybody can confirm an address, so it says nothing of one of them.
  const { sendsMail } = useSettings();
  return (
    <tr ref={ref} onKeyDown={event => event.key === 'Escape' && onEscape?.()}>
      <th scope="row">
        {selection === undefined ? (
          user.username
        ) : (
          <label className="choice">
            <input
              type="checkbox"
              aria-label={`Select ${user.username}`}
              checked={selection.isSelected}
              onChange={event => selection.onSelect(event.currentTarget.checked)}
            />
            {user.username}
          </label>
        )}
        <span className="sub">{user.name}</span>
        {user.isAuthor && <span className="sub caution">Author</span>}
      </th>
      <td className="address">
        {user.email}
        {sendsMail && !user.isEmailConfirmed && <span className="sub caution">Email not confirmed</span>}
        {user.deniedBeforeAt !== null && (
          <span className="sub caution">
            Denied before, on <DateTime moment={user.deniedBeforeAt} />
          </span>
        )}
        <span className="sub">
          <DateTime moment={moment} />
        </span>
      </td>
      {children}
    </tr>
  );
}
