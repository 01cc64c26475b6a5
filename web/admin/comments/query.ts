import { infiniteQueryOptions } from '@tanstack/react-query';
import type { Call, Output } from '../../../contract/operations.ts';

export type ReportedList = 'reported' | 'hidden';
type ReportedPage = Output<'listReportedComments'>;

/** The comments that wait for a decision, or those that are hidden. */
export function reportedQuery(call: Call, list: ReportedList) {
  return infiniteQueryOptions({
    queryKey: ['listReportedComments', list] as const,
    queryFn: ({ pageParam }): Promise<ReportedPage> =>
      call('listReportedComments', { list, after: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: (page: ReportedPage) => page.nextCursor,
    staleTime: 1_000,
  });
}
