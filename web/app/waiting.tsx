import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import type { Call, Input, Output } from '../../contract/operations.ts';
import { number } from '../ui/amount.ts';
import { useCall } from './queries.tsx';

/** The pages of one list of accounts, with their number. */
export function accountsQuery(call: Call, list: Input<'getUsers'>['list'], search: string) {
  return infiniteQueryOptions({
    queryKey: ['getUsers', { list, search }] as const,
    queryFn: ({ pageParam }) => call('getUsers', { list, search, after: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: (page: Output<'getUsers'>) => page.nextCursor,
  });
}

export const waitingQuery = (call: Call) => accountsQuery(call, 'pending', '');

/** The number of people who wait for approval, beside an admin's link; nothing if it is 0. */
export function Waiting() {
  const { data } = useInfiniteQuery(waitingQuery(useCall()));
  return <WaitingCount count={data?.pages[0]?.total ?? 0} words="waiting for approval" />;
}

/** A number of waiting items beside a link; nothing if it is 0. */
export function WaitingCount({ count, words }: { count: number; words: string }) {
  return count === 0 ? null : (
    <span className="amount" title={`${words.charAt(0).toUpperCase()}${words.slice(1)}`}>
      {' '}
      {number(count)}
      <span className="hidden"> {words}</span>
    </span>
  );
}
