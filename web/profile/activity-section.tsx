import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { useQueryString } from '../app/navigation.ts';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Section } from '../ui/section.tsx';
import { useFocusOnLoaded } from '../ui/use-focus-on-loaded.ts';
import { type ListName, nextAddress } from './activity.ts';

type ActivitySectionProps = {
  title: string;
  list: UseInfiniteQueryResult<InfiniteData<{ nextCursor: string | null }>>;
  whenEmpty: string;
  /** The name of the list in its texts. */
  what: string;
  name: ListName;
  entries: readonly ReactNode[];
};

/** One list of the profile with its states and the button that continues it. */
export function ActivitySection({ title, list, whenEmpty, what, name, entries }: ActivitySectionProps) {
  const search = useQueryString();
  const rows = useRef<HTMLUListElement>(null);
  const focusOnLoaded = useFocusOnLoaded();
  const loadMore = (button: Element) => {
    const find = () => rows.current?.children[entries.length]?.querySelector('a');
    return focusOnLoaded(button, list.fetchNextPage, find);
  };
  const isFailed = list.isError && !list.isFetching;
  const isLoading = list.isPending || list.isFetchingNextPage;
  const text = isLoading ? 'Loading...' : entries.length === 0 && whenEmpty;
  return (
    <Section title={title}>
      {entries.length > 0 && <ul ref={rows}>{entries}</ul>}
      <div role="status" className="status">
        {!isFailed && text !== false && <p>{text}</p>}
      </div>
      {isFailed && (
        <LoadFailed
          text={`Failed to load ${what}`}
          error={list.error}
          onRetry={list.isFetchNextPageError ? list.fetchNextPage : list.refetch}
        />
      )}
      {list.hasNextPage && !isFailed && (
        <>
          <button
            type="button"
            className="button"
            aria-disabled={list.isFetchingNextPage}
            onClick={({ currentTarget }) => list.isFetchingNextPage || loadMore(currentTarget)}
          >
            {`Load more ${what}`}
          </button>
          <noscript>
            <a className="button" href={nextAddress(search, name, list.data?.pages.at(-1)?.nextCursor ?? '')}>
              {`Load more ${what}`}
            </a>
          </noscript>
        </>
      )}
    </Section>
  );
}
