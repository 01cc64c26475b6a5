import { useIsMutating, useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { describeStatus } from '../../../contract/accounts/status.ts';
import type { Call } from '../../../contract/operations.ts';
import { useOperations } from '../../app/queries.tsx';
import { useViewer } from '../../app/site.tsx';
import { askViewer } from '../../app/viewer.ts';
import { useReport } from '../layout.tsx';
import type { NamedTags } from '../tag-picker.tsx';
import { placeUser, reloadRequests, type User, type UserList } from './query.ts';

export type Action = {
  /** Followed by the username: 'Failed to approve'. */
  failure: string;
  /** Follows the name in the toast: 'is muted'. Left out where the row says it. */
  success?: string;
  /** The expected account, shown immediately; the server's answer corrects it. */
  expected: User;
  send(call: Call): Promise<{ user: User; wasMailed?: boolean }>;
  /** The buttons of the toast, for the account as it is now. */
  next?(user: User): ReactNode;
};

const actionKey = (userId: string) => ['action', userId];

/** Whether a decision about an account is being saved: until then its version is not known. */
export const useIsActing = (userId: string) => useIsMutating({ mutationKey: actionKey(userId) }) > 0;

export function useAction(user: User) {
  const { call, client } = useOperations();
  const report = useReport();
  const viewer = useViewer();
  return useMutation({
    mutationKey: actionKey(user.id),
    mutationFn: (action: Action) => action.send(call),
    onMutate: async ({ expected }) => {
      await client.cancelQueries({ queryKey: ['getUsers'] });
      placeUser(client, expected);
      return user;
    },
    onSuccess: async (answer, { success, next }) => {
      placeUser(client, answer.user);
      const told = answer.wasMailed === true ? ' They have already been told of the approval by email.' : '';
      report.done(success === undefined ? '' : `${user.name} ${success}.${told}`, next?.(answer.user));
      // An admin who gave up the role must leave this page, and may request nothing on it.
      if (user.id === viewer.user?.id) await askViewer(client, call).catch(() => {});
      else void reloadRequests(client);
    },
    onError: async (error, { failure }, before) => {
      // The row is restored first, because loading the list may fail, too.
      if (before !== undefined) placeUser(client, before);
      report.failed(`${failure} ${user.username}.`, error);
      await client.invalidateQueries({ queryKey: ['getUsers'] });
    },
  });
}

export function approval(user: User, named: NamedTags): Action {
  return {
    failure: 'Failed to approve',
    expected: { ...user, ...describeStatus('approved'), approvedTags: named.tags },
    send: call =>
      call('approveUser', {
        userId: user.id,
        ...named,
        version: user.version,
      }),
  };
}

/** Tags in a sentence. In quotation marks, because a name may have several words. */
export const quoted = (tags: readonly string[]) =>
  new Intl.ListFormat('en').format(tags.map(tag => `“${tag}”`));

/** The decision in words: 'is approved with “family” and “friends”'. */
export function decisionWords({ status, approvedTags }: User): string {
  if (status !== 'approved') return status === 'denied' ? 'is denied' : 'waits for approval';
  if (approvedTags.length === 0) return 'is approved, with no tags of their own';
  return `is approved with ${quoted(approvedTags)}`;
}

export function denial(user: User): Action {
  const isRevocation = user.status === 'approved';
  return {
    failure: isRevocation ? 'Failed to revoke the approval of' : 'Failed to deny',
    ...(isRevocation && { success: 'is no longer approved' }),
    expected: { ...user, ...describeStatus('denied'), isAuthor: false },
    send: call => call('denyUser', { userId: user.id, version: user.version }),
  };
}

/** Undoes the last decision about somebody in a list, so that they belong to this list again. */
export function undo(user: User, list: UserList): Action {
  const status = list === 'denied' ? 'denied' : 'pending';
  const expected = { ...user, ...describeStatus(status), isUnconfirmed: list === 'unconfirmed' };
  return {
    failure: 'Failed to undo the decision about',
    success: decisionWords(expected),
    expected,
    send: call => call('undoDecision', { userId: user.id, version: user.version }),
  };
}
