import { infiniteQueryOptions } from '@tanstack/react-query';
import type { Call, Output } from '../../contract/operations.ts';

/** Those who wait for approval: the list of the page Users, which also tells how many they are. */
export function waitingQuery(call: Call) {
  return infiniteQueryOptions({
    queryKey: ['getUsers', { list: 'pending', search: '' }] as const,
    queryFn: ({ pageParam }) => call('getUsers', { list: 'pending', search: '', after: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: (page: Output<'getUsers'>) => page.nextCursor,
  });
}
