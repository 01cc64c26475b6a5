import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { Call } from '../../contract/operations.ts';
import { operationQuery, useCall } from '../app/queries.tsx';
import type { ScreenModule } from '../app/screen.ts';
import { WaitingCount, waitingQuery } from '../app/waiting.tsx';
import { reportedQuery } from './comments/query.ts';

/** These only count, and request no rows. */
const requestsQuery = (call: Call) => operationQuery(call, 'listAccessRequests', { most: 0 });
const proposalsQuery = (call: Call) => operationQuery(call, 'listProposals', { most: 0 });

/**
 * Loads the counts in the navigation of the administration. A failed one is not shown, and breaks no page.
 */
export async function prepareCounts({
  call,
  client,
}: Pick<Parameters<ScreenModule['prepare']>[0], 'call' | 'client'>): Promise<void> {
  await Promise.all([
    client.prefetchInfiniteQuery(waitingQuery(call)),
    client.prefetchInfiniteQuery(reportedQuery(call, 'reported')),
    client.prefetchQuery(requestsQuery(call)),
    client.prefetchQuery(proposalsQuery(call)),
  ]);
}

/** How many people wait for an answer on the page Users: for an account, or for a post. */
export function WaitingPeople() {
  const call = useCall();
  const accounts = useInfiniteQuery(waitingQuery(call)).data?.pages[0]?.total ?? 0;
  const requests = useQuery(requestsQuery(call)).data?.total ?? 0;
  const words =
    requests === 0 ? 'waiting for approval' : accounts === 0 ? 'asking to read' : 'waiting for an answer';
  return <WaitingCount count={accounts + requests} words={words} />;
}

/** How many people are proposed by members. */
export function Proposed() {
  const { data } = useQuery(proposalsQuery(useCall()));
  return <WaitingCount count={data?.total ?? 0} words="proposed by members" />;
}

/** How many comments were reported. */
export function ReportedComments() {
  const { data } = useInfiniteQuery(reportedQuery(useCall(), 'reported'));
  return <WaitingCount count={data?.pages[0]?.total ?? 0} words="reported" />;
}
