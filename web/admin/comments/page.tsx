import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useQueryString } from '../../app/navigation.ts';
import { useCall } from '../../app/operations.tsx';
import { routes } from '../../app/routes.ts';
import { LoadFailed } from '../../ui/load-failed.tsx';
import { AdminPage, forAdmins } from '../layout.tsx';
import { ShowMore } from '../row-list.tsx';
import { type ReportedList, reportedQuery } from './query.ts';
import { Reported } from './reported.tsx';

const listOf = (search: URLSearchParams): ReportedList =>
  search.get('list') === 'hidden' ? 'hidden' : 'reported';

export const prepare = forAdmins(async ({ call, client, search }) => {
  await client.fetchInfiniteQuery(reportedQuery(call, listOf(search)));
  return { title: 'Comments' };
});

/** Reported comments, and hidden ones. */
export default function CommentsPage() {
  return (
    <AdminPage title="Comments">
      <Comments />
    </AdminPage>
  );
}

const empty = { reported: 'No comment waits for you.', hidden: 'No comment is hidden.' } as const;

function Comments() {
  const list = listOf(useQueryString());
  const client = useQueryClient();
  const query = useInfiniteQuery(reportedQuery(useCall(), list));
  const comments = query.data?.pages.flatMap(page => page.comments) ?? [];
  const refresh = () => void client.invalidateQueries({ queryKey: ['listReportedComments'] });
  return (
    <section className="section" aria-label={list === 'hidden' ? 'Hidden comments' : 'Reported comments'}>
      <nav className="tabs" aria-label="Comments">
        <Link to={routes.reportedComments.href()} aria-current={list === 'reported' ? 'page' : undefined}>
          Reported
        </Link>
        <Link
          to={routes.reportedComments.href('?list=hidden')}
          aria-current={list === 'hidden' ? 'page' : undefined}
        >
          Hidden
        </Link>
      </nav>
      {query.isError && (
        <LoadFailed
          text={`Failed to load the comments. ${query.error.message}`}
          error={query.error}
          onRetry={query.refetch}
        />
      )}
      <p className="status" role="status">
        {query.isPending && <span>Loading...</span>}
        {query.isSuccess && comments.length === 0 && <span>{empty[list]}</span>}
      </p>
      {comments.map(one => (
        <Reported key={one.comment.id} reported={one} onDecided={refresh} />
      ))}
      <ShowMore query={query} />
    </section>
  );
}
