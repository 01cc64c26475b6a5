import { infiniteQueryOptions } from '@tanstack/react-query';
import type { Call, Output } from '../../contract/operations.ts';
import { routes } from '../app/routes.ts';

/** The start of a list: without scripts the cursor in the address; otherwise null, its newest entry. */
type Start = string | null;

const paging = {
  getNextPageParam: (page: { nextCursor: string | null }) => page.nextCursor,
  // A new like or comment of the reader must be in the list.
  staleTime: 0,
};

export function likedPostsQuery(call: Call, start: Start) {
  return infiniteQueryOptions({
    queryKey: ['getLikedPosts', start] as const,
    queryFn: ({ pageParam }): Promise<Output<'getLikedPosts'>> => call('getLikedPosts', { after: pageParam }),
    initialPageParam: start,
    ...paging,
  });
}

export function ownCommentsQuery(call: Call, start: Start) {
  return infiniteQueryOptions({
    queryKey: ['getOwnComments', start] as const,
    queryFn: ({ pageParam }): Promise<Output<'getOwnComments'>> =>
      call('getOwnComments', { after: pageParam }),
    initialPageParam: start,
    ...paging,
  });
}

/** The parameters of the address for the cursors of the two lists. */
export type ListName = 'likes' | 'comments';

export function startOf(search: URLSearchParams, list: ListName): Start {
  return search.get(list)?.slice(0, 200) || null;
}

/** The address of the next page of one list, with the other list unchanged. */
export function nextAddress(search: URLSearchParams, list: ListName, cursor: string): string {
  const next = new URLSearchParams();
  for (const name of ['likes', 'comments'] as const) {
    const start = name === list ? cursor : startOf(search, name);
    if (start !== null) next.set(name, start);
  }
  return routes.profile.href(`?${next}`);
}
