import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { BusyButton } from '../ui/busy-button.tsx';
import { QueryFailed } from '../ui/load-failed.tsx';
import { useFocusOnLoaded } from '../ui/use-focus-on-loaded.ts';
import { Head } from './tables.tsx';

type RowListProps = {
  query: Pick<UseQueryResult, 'isPending' | 'isSuccess' | 'error'> & { refetch(): void };
  /** 'the tags', as in 'Failed to load the tags.' */
  what: string;
  /** Shown when there are no rows. */
  empty: string;
  className: string;
  /** The headings; a last column of actions follows them. */
  columns: readonly string[];
  rows: readonly ReactNode[];
};

/** A list as a table, or a text while it is loading, if it failed, or if it is empty. */
export function RowList({ query, what, empty, className, columns, rows }: RowListProps) {
  return (
    <>
      {query.isPending && <p className="status">Loading...</p>}
      {query.error !== null && <QueryFailed query={query} what={what} />}
      {query.isSuccess && rows.length === 0 && <p className="status">{empty}</p>}
      {rows.length > 0 && (
        <table className={`rows ${className}`}>
          <Head columns={columns} hasActions />
          <tbody>{rows}</tbody>
        </table>
      )}
    </>
  );
}

/** The button that loads the next page of the list in its section, if there is one. */
export function ShowMore({ query }: { query: UseInfiniteQueryResult }) {
  const focusOnLoaded = useFocusOnLoaded();
  if (!query.hasNextPage) return null;
  const showMore = (button: Element) => {
    const section = button.closest('section');
    const rows = () => section?.querySelectorAll('tbody > tr, article') ?? [];
    const count = rows().length;
    const find = () => rows()[count]?.querySelector<HTMLElement>('button, input, a');
    return focusOnLoaded(button, query.fetchNextPage, find);
  };
  return (
    <div className="more">
      <BusyButton isBusy={query.isFetchingNextPage} onClick={event => showMore(event.currentTarget)}>
        {query.isFetchingNextPage ? 'Loading...' : 'Show more'}
      </BusyButton>
    </div>
  );
}
