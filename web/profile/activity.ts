import { infiniteQueryOptions } from '@tanstack/react-query';
import type { Call, Output } from '../../contract/operations.ts';
import { routes } from '../app/routes.ts';

/** Where a list begins: after the cursor in the address, for readers without scripts; else at its newest. */
type Start = string | null;

const paging = {
  getNextPageParam: (page: { nextCursor: string | null }) => page.nextCursor,
  // What the reader has just liked or said must be there.
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

/** The names under which an address holds the cursors of the two lists. */
export type ListName = 'likes' | 'comments';

export function startOf(search: URLSearchParams, list: ListName): Start {
  return search.get(list)?.slice(0, 200) || null;
}

/** The address at which one list goes on, and the other stays where it is. */
export function nextAddress(search: URLSearchParams, list: ListName, cursor: string): string {
  const next = new URLSearchParams();
  for (const name of ['likes', 'comments'] as const) {
    const start = name === list ? cursor : startOf(search, name);
    if (start !== null) next.set(name, start);
  }
  return routes.profile.href(`?${next}`);
}
