import { infiniteQueryOptions } from '@tanstack/react-query';
import type { Call, Output } from '../../contract/operations.ts';

type Page = { nextCursor: string | null };
const paging = {
  initialPageParam: null as string | null,
  getNextPageParam: (page: Page) => page.nextCursor,
};

export function likedPostsQuery(call: Call) {
  return infiniteQueryOptions({
    queryKey: ['getLikedPosts'] as const,
    queryFn: ({ pageParam }): Promise<Output<'getLikedPosts'>> => call('getLikedPosts', { after: pageParam }),
    // What the reader has just liked or said must be there.
    staleTime: 0,
    ...paging,
  });
}

export function ownCommentsQuery(call: Call) {
  return infiniteQueryOptions({
    queryKey: ['getOwnComments'] as const,
    queryFn: ({ pageParam }): Promise<Output<'getOwnComments'>> =>
      call('getOwnComments', { after: pageParam }),
    staleTime: 0,
    ...paging,
  });
}
