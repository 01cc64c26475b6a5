import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { CommentList } from '../../../contract/comments.ts';
import { useQueryString } from '../../app/navigation.ts';
import { useCall } from '../../app/queries.tsx';
import { routes } from '../../app/routes.ts';
import { QueryFailed } from '../../ui/load-failed.tsx';
import { AdminPage, forAdmins } from '../layout.tsx';
import { ShowMore } from '../row-list.tsx';
import { reportedQuery } from './query.ts';
import { Reported } from './reported.tsx';

/** The tabs, and what each says where its list is empty. */
const lists = {
  reported: { name: 'Reported', empty: 'No comment waits for you.' },
  hidden: { name: 'Hidden', empty: 'No comment is hidden.' },
  all: { name: 'All', empty: 'There are no comments yet.' },
} satisfies Record<CommentList, { name: string; empty: string }>;

const tabs = ['reported', 'hidden', 'all'] as const;

const listOf = (search: URLSearchParams): CommentList =>
  tabs.find(list => list === search.get('list')) ?? 'reported';

export const prepare = forAdmins(async ({ call, client, search }) => {
  await client.fetchInfiniteQuery(reportedQuery(call, listOf(search)));
  return { title: 'Comments' };
});

/** Comments: reported ones, hidden ones, and all. */
export default function CommentsPage() {
  return (
    <AdminPage title="Comments">
      <Comments />
    </AdminPage>
  );
}

function Comments() {
  const list = listOf(useQueryString());
  const client = useQueryClient();
  const query = useInfiniteQuery(reportedQuery(useCall(), list));
  const comments = query.data?.pages.flatMap(page => page.comments) ?? [];
  const refresh = () => void client.invalidateQueries({ queryKey: ['listReportedComments'] });
  return (
    <section className="section" aria-label={`${lists[list].name} comments`}>
      <nav className="tabs" aria-label="Comments">
        {tabs.map(one => (
          <Link
            key={one}
            to={routes.reportedComments.href(one === 'reported' ? '' : `?list=${one}`)}
            aria-current={one === list ? 'page' : undefined}
          >
            {lists[one].name}
          </Link>
        ))}
      </nav>
      {query.isError && <QueryFailed query={query} what="the comments" />}
      <p className="status" role="status">
        {query.isPending && <span>Loading...</span>}
        {query.isSuccess && comments.length === 0 && <span>{lists[list].empty}</span>}
      </p>
      {comments.map(one => (
        <Reported key={one.comment.id} reported={one} onDecided={refresh} />
      ))}
      <ShowMore query={query} />
    </section>
  );
}
