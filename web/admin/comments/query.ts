import { infiniteQueryOptions } from '@tanstack/react-query';
import type { CommentList } from '../../../contract/comments.ts';
import type { Call, Output } from '../../../contract/operations.ts';

type ReportedPage = Output<'listReportedComments'>;

/** A list of the page Comments: those that wait for a decision, those that are hidden, or all. */
export function reportedQuery(call: Call, list: CommentList) {
  return infiniteQueryOptions({
    queryKey: ['listReportedComments', list] as const,
    queryFn: ({ pageParam }): Promise<ReportedPage> =>
      call('listReportedComments', { list, after: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: (page: ReportedPage) => page.nextCursor,
    staleTime: 1_000,
  });
}
