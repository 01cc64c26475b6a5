import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import type { Output } from '../../contract/operations.ts';
import { PostCard } from './post-card.tsx';

type PostListProps = {
  list: UseInfiniteQueryResult<InfiniteData<Output<'getPosts'>>>;
  /** The pages that the reader had reached are on their way. */
  isReturning?: boolean;
  /** A search of which the result is not shown yet has failed. */
  hasFailed?: boolean;
  onRetry?: () => void;
  /** Where the next page is for a reader without scripts. */
  nextAddress: string;
  /** What to do when there is none. */
  whenEmpty?: ReactNode;
};

/** A list of posts with its states and the button that continues it (specification section 2, status texts). */
export function PostList({
  list,
  isReturning = false,
  hasFailed = false,
  onRetry,
  nextAddress,
  whenEmpty,
}: PostListProps) {
  const status = useRef<HTMLDivElement>(null);
  const posts = list.data?.pages.flatMap(page => page.posts) ?? [];
  const isFailed = hasFailed || (list.isError && !list.isFetching);
  const retry = onRetry ?? (() => (list.isFetchNextPageError ? list.fetchNextPage() : list.refetch()));

  /** How many posts stood here when more were asked for, until these are there. */
  const reached = useRef<number>(undefined);
  const loadMore = () => {
    reached.current = posts.length;
    // The button goes while the posts come, and whoever used it by keyboard must not lose their place.
    status.current?.focus({ preventScroll: true });
    void list.fetchNextPage();
  };
  useEffect(() => {
    const next = reached.current === undefined ? undefined : posts[reached.current];
    if (next === undefined) return;
    reached.current = undefined;
    if (document.activeElement !== status.current) return;
    document.getElementById(`post-${next.id}`)?.focus({ preventScroll: true });
  });

  const text = statusText(list, isFailed, posts.length === 0);
  return (
    <>
      <div className="timeline">
        {posts.map(post => (
          <PostCard key={post.id} post={post} />
        ))}
      </div>
      <div ref={status} role="status" tabIndex={-1} className="status">
        {text !== '' && <p>{text}</p>}
      </div>
      {isFailed && (
        <button type="button" className="button" onClick={retry}>
          Try again
        </button>
      )}
      {(list.isPending || list.isFetchingNextPage || (isReturning && list.hasNextPage)) && !isFailed && (
        <Shapes />
      )}
      {list.isSuccess && posts.length === 0 && whenEmpty}
      {list.hasNextPage && !isReturning && !list.isFetchingNextPage && !isFailed && (
        <div className="more">
          <button type="button" className="button scripted" onClick={loadMore}>
            Load More Posts
          </button>
          <noscript>
            <a className="button" href={nextAddress}>
              Load More Posts
            </a>
          </noscript>
        </div>
      )}
    </>
  );
}

function statusText(list: PostListProps['list'], isFailed: boolean, isEmpty: boolean): string {
  if (isFailed) return 'Failed to load posts';
  if (list.isPending || (list.isFetching && list.isError)) return 'Loading posts...';
  if (list.isFetchingNextPage) return 'Loading more posts...';
  return isEmpty ? 'No posts found with this search criteria' : '';
}

/** The shape of what comes, tall enough that nothing on the screen moves when it is there. */
function Shapes() {
  return (
    <div className="timeline shapes" aria-hidden="true">
      {[1, 2, 3, 4].map(place => (
        <div className="skeleton" key={place}>
          <span className="title" />
          <span />
          <span />
          <span />
        </div>
      ))}
    </div>
  );
}
