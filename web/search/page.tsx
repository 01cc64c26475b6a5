import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useNavigate, useQueryString } from '../app/navigation.ts';
import { Page } from '../app/page.tsx';
import { operationQuery, useCall } from '../app/queries.tsx';
import type { ScreenModule } from '../app/screen.ts';
import { LoadFailed } from '../ui/load-failed.tsx';
import { isSlashKeyOn, turnSlashKey } from '../ui/slash-key.ts';
import { useIsInBrowser } from '../ui/use-is-in-browser.ts';
import { SearchForm } from './form.tsx';
import { addressOf, resultsQuery, type Search, searchOf } from './query.ts';
import { announcement, Results } from './results.tsx';
import '../styles/search.css';

const titleOf = ({ q }: Search) => (q.trim() === '' ? 'Search' : `Search for “${q.trim()}”`);

export const prepare: ScreenModule['prepare'] = async ({ call, client, search: query }) => {
  const search = searchOf(query);
  await Promise.all([
    client.fetchQuery(resultsQuery(call, search)),
    client.fetchQuery(operationQuery(call, 'getTags', {})),
  ]);
  return { title: titleOf(search) };
};

/** The search of everything that the reader may read: while typing, and as an address to share. */
export default function SearchPage() {
  const search = searchOf(useQueryString());
  const navigate = useNavigate();
  const found = useQuery({ ...resultsQuery(useCall(), search), placeholderData: keepPreviousData });
  const field = useRef<HTMLInputElement>(null);
  // The field gets the focus, because it is what the reader came for; its label names the page.
  useEffect(() => {
    if (field.current?.value === '') field.current.focus({ preventScroll: true });
  }, []);
  const onSearch = (next: Search) => {
    const to = addressOf(next);
    if (to !== addressOf(search)) navigate(to, { replace: true });
  };
  return (
    <Page title={titleOf(search)}>
      <div aria-busy={found.isFetching}>
        <SearchForm search={search} years={found.data?.years ?? []} field={field} onSearch={onSearch} />
        <p className="hidden" role="status">
          {found.data !== undefined && !found.isPlaceholderData && announcement(search, found.data)}
        </p>
        {found.isError ? (
          <LoadFailed text="Failed to search" error={found.error} onRetry={found.refetch} />
        ) : (
          found.data !== undefined &&
          // Previous results stay until new ones arrive; the message that there were none does not.
          (!found.isPlaceholderData || found.data.posts.length > 0) && (
            <Results search={search} found={found.data} />
          )
        )}
      </div>
      <SlashKeyChoice />
    </Page>
  );
}

/** Turns the key that opens the search off and on, in this browser. */
function SlashKeyChoice() {
  // The server does not know the browser's choice, and without scripts the key does nothing.
  if (!useIsInBrowser()) return null;
  return (
    <label className="slash-key">
      <input
        type="checkbox"
        defaultChecked={isSlashKeyOn()}
        onChange={event => turnSlashKey(event.target.checked)}
      />{' '}
      The key / opens this search from every page
    </label>
  );
}
