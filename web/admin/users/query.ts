import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
} from '@tanstack/react-query';
import type { Call, Input, Output } from '../../../contract/operations.ts';
import { accountsQuery } from '../../app/waiting.tsx';

export type User = Output<'getUsers'>['users'][number];
export type UserList = Input<'getUsers'>['list'];
export type UserPage = Output<'getUsers'>;
type Pages = InfiniteData<UserPage>;

export function usersQuery(call: Call, list: UserList, search: string) {
  // While a search is loading, the previous list stays visible.
  return infiniteQueryOptions({ ...accountsQuery(call, list, search), placeholderData: keepPreviousData });
}

export function listOf(user: User): UserList {
  if (user.isAdmin) return 'admins';
  return user.status === 'pending' && user.isUnconfirmed ? 'unconfirmed' : user.status;
}

/** A user as the lists on the page have them now; the rows are only rendered again a moment later. */
export function listedUser(client: QueryClient, userId: string): User | undefined {
  return client
    .getQueriesData<Pages>({ queryKey: ['getUsers'], type: 'active' })
    .flatMap(([, data]) => data?.pages.flatMap(page => page.users) ?? [])
    .find(user => user.id === userId);
}

/**
 * Updates a user in the lists: first in the list where they now belong, and in the list where the decision
 * was made.
 */
export function placeUser(client: QueryClient, user: User): void {
  for (const query of client.getQueryCache().findAll({ queryKey: ['getUsers'] })) {
    const [, { list } = { list: undefined }] = query.queryKey as [string, { list?: UserList }?];
    if (list === undefined) continue;
    client.setQueryData<Pages>(query.queryKey, data => data && placeIn(data, user, list));
  }
}

/**
 * Loads access requests and proposals again after a decision about an account. Those of a denied account are
 * no longer listed, nor are requests for posts that its new tags open.
 */
export async function reloadRequests(client: QueryClient): Promise<void> {
  await Promise.all(
    ['listAccessRequests', 'listProposals'].map(name => client.invalidateQueries({ queryKey: [name] })),
  );
}

/**
 * The lists in which a user stays in place after a decision, until the list is loaded again: otherwise the
 * next user would move under the pointer, and a second click would decide about them.
 */
const keepsDecided: readonly UserList[] = ['pending', 'unconfirmed', 'denied'];

function placeIn(data: Pages, user: User, list: UserList): Pages {
  const isUser = (other: User) => other.id === user.id;
  const known = data.pages.flatMap(page => page.users).find(isUser);
  const belongs = listOf(user) === list;
  if (known === undefined && !belongs) return data;
  const stays = belongs || keepsDecided.includes(list);
  const wasCounted = known !== undefined && listOf(known) === list;
  const difference = Number(belongs) - Number(wasCounted);
  return {
    ...data,
    pages: data.pages.map((page, index) => {
      const kept = stays
        ? page.users.map(other => (isUser(other) ? user : other))
        : page.users.filter(other => !isUser(other));
      const users = index === 0 && belongs && known === undefined ? [user, ...kept] : kept;
      return { ...page, users, total: page.total + difference };
    }),
  };
}
