import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { Fragment, type ReactNode, useRef, useState } from 'react';
import type { Output } from '../../contract/operations.ts';
import { hasFailed } from '../app/query-defaults.ts';
import { NewLine } from '../reading/marks.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { useFocusOnLoaded } from '../ui/use-focus-on-loaded.ts';
import { PostCard } from './post-card.tsx';

type PostListProps = {
  list: UseInfiniteQueryResult<InfiniteData<Output<'getPosts'>>>;
  /** Whether the pages that the reader had reached are being loaded. */
  isReturning?: boolean;
  /** Repeats the last search, if it has failed: then its result is not shown yet. */
  retrySearch?: (() => void) | undefined;
  /** The address of the next page for a reader without scripts. */
  nextAddress: string;
  /** Shown when there are no posts; by default the text of an empty search. */
  emptyText?: string;
  /** The id of the post below the line that says that the reader has seen the rest. */
  lineAbove?: string | undefined;
  /** Shown when there are no posts. */
  whenEmpty?: ReactNode;
};

/**
 * A list of posts with its states and the button that continues it (specification section 2, status texts).
 */
export function PostList({
  list,
  isReturning = false,
  retrySearch,
  nextAddress,
  emptyText = 'No posts found with this search criteria',
  lineAbove,
  whenEmpty,
}: PostListProps) {
  const timeline = useRef<HTMLDivElement>(null);
  const status = useRef<HTMLDivElement>(null);
  const focusOnLoaded = useFocusOnLoaded();
  const loaded = list.data?.pages.flatMap(page => page.posts) ?? [];
  // A post that was unpinned meanwhile is on a later page once more.
  const posts = [...new Map(loaded.map(post => [post.id, post])).values()];
  /** Whether the reader has asked to try again, and is waiting. */
  const [isTrying, setTrying] = useState(false);
  const isFailed = !isTrying && (retrySearch !== undefined || hasFailed(list));
  /**
   * The buttons disappear while posts are loading, and a reader with a keyboard must not lose their place.
   */
  const waitInStatus = () => status.current?.focus({ preventScroll: true });
  const loadMore = async () => {
    waitInStatus();
    await focusOnLoaded(status.current, list.fetchNextPage, () => cardsIn(timeline.current)[posts.length]);
  };
  const tryAgain = async () => {
    waitInStatus();
    if (retrySearch !== undefined) return retrySearch();
    setTrying(true);
    await (list.isFetchNextPageError ? loadMore() : list.refetch());
    setTrying(false);
  };

  const isLoading = list.isPending || isTrying;
  const text = isFailed ? '' : statusText(list, isLoading, posts.length === 0 ? emptyText : '');
  return (
    <>
      <div ref={timeline} className="timeline">
        {posts.map(post => (
          <Fragment key={post.id}>
            {post.id === lineAbove && <NewLine />}
            <PostCard post={post} />
          </Fragment>
        ))}
      </div>
      <div ref={status} role="status" tabIndex={-1} className="status">
        {text !== '' && <p>{text}</p>}
      </div>
      {isFailed && <LoadFailed text="Failed to load posts" error={list.error} onRetry={tryAgain} />}
      {(list.isPending || list.isFetchingNextPage || (isReturning && list.hasNextPage)) && !isFailed && (
        <Shapes />
      )}
      {list.isSuccess && posts.length === 0 && whenEmpty}
      {list.hasNextPage && !isReturning && !list.isFetchingNextPage && !isFailed && (
        <div className="more">
          <button type="button" className="button" onClick={loadMore}>
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

const cardsIn = (timeline: HTMLElement | null) => timeline?.querySelectorAll(':scope > article') ?? [];

function statusText(list: PostListProps['list'], isLoading: boolean, otherwise: string): string {
  if (list.isFetchingNextPage) return 'Loading more posts...';
  if (isLoading) return 'Loading posts...';
  return otherwise;
}

/** Placeholders for posts, tall enough that nothing on the screen moves when the posts are loaded. */
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
