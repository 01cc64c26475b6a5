import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
} from '@tanstack/react-query';
import type { Call, Input, Output } from '../../../contract/operations.ts';

export type User = Output<'getUsers'>['users'][number];
export type UserList = Input<'getUsers'>['list'];
type Pages = InfiniteData<Output<'getUsers'>>;

/** The pages of one list of users, narrowed by a search. */
export function usersQuery(call: Call, list: UserList, search: string) {
  return infiniteQueryOptions({
    queryKey: ['getUsers', { list, search }] as const,
    queryFn: ({ pageParam }) => call('getUsers', { list, search, after: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: (page: Output<'getUsers'>) => page.nextCursor,
    // What is typed narrows what is seen, instead of blinking.
    placeholderData: keepPreviousData,
  });
}

function listOf(user: User): UserList {
  if (user.isAdmin) return 'admins';
  return user.status === 'pending' && user.isUnconfirmed ? 'unconfirmed' : user.status;
}

/** Shows a user as they are now: in the list where they belong, first, and in no other. */
export function placeUser(client: QueryClient, user: User): void {
  for (const query of client.getQueryCache().findAll({ queryKey: ['getUsers'] })) {
    const [, { list } = { list: undefined }] = query.queryKey as [string, { list?: UserList }?];
    client.setQueryData<Pages>(query.queryKey, data => data && placeIn(data, user, list === listOf(user)));
  }
}

function placeIn(data: Pages, user: User, belongs: boolean): Pages {
  const isThere = data.pages.some(page => page.users.some(other => other.id === user.id));
  if (!isThere && !belongs) return data;
  const difference = Number(belongs) - Number(isThere);
  return {
    ...data,
    pages: data.pages.map((page, index) => {
      const kept = belongs
        ? page.users.map(other => (other.id === user.id ? user : other))
        : page.users.filter(other => other.id !== user.id);
      const users = index === 0 && belongs && !isThere ? [user, ...kept] : kept;
      return { ...page, users, total: page.total + difference };
    }),
  };
}
