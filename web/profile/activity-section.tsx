import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';

type ActivitySectionProps = {
  title: string;
  list: UseInfiniteQueryResult;
  isEmpty: boolean;
  whenEmpty: string;
  /** What could not be loaded, and of what there may be more. */
  what: string;
  children: ReactNode;
};

/** One list of the profile with its states and the button that continues it. */
export function ActivitySection({ title, list, isEmpty, whenEmpty, what, children }: ActivitySectionProps) {
  const id = useId();
  const isFailed = list.isError && !list.isFetching;
  const text = isFailed
    ? `Failed to load ${what}`
    : list.isPending || list.isFetchingNextPage
      ? 'Loading...'
      : isEmpty && whenEmpty;
  return (
    <section className="section" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {!isEmpty && <ul>{children}</ul>}
      <div role="status" className="status">
        {text !== false && <p>{text}</p>}
      </div>
      {isFailed && (
        <button
          type="button"
          className="button"
          onClick={() => (list.isFetchNextPageError ? list.fetchNextPage() : list.refetch())}
        >
          Try again
        </button>
      )}
      {list.hasNextPage && !isFailed && (
        <button
          type="button"
          className="button"
          aria-disabled={list.isFetchingNextPage}
          onClick={() => list.isFetchingNextPage || list.fetchNextPage()}
        >
          {`Load more ${what}`}
        </button>
      )}
    </section>
  );
}
