import {
  type InfiniteData,
  type Query,
  type QueryClient,
  type QueryKey,
  queryOptions,
} from '@tanstack/react-query';
import { AppError } from '../../contract/errors.ts';
import type { Call, Output } from '../../contract/operations.ts';
import { hydrated } from './hydrated.tsx';

export type Viewer = Output<'getViewer'>;

const viewerKey = ['getViewer', {}] as const;
/**
 * The key of mutations that begin or end a session of this browser: while one runs, the old session says
 * nothing.
 */
export const sessionMutationKey = ['session'] as const;

/**
 * The viewer, from the server. It is fetched again only by `askViewer` and `useViewerSync`, so that every
 * answer is handled in the same way: one reader's content is removed before the next is shown anything.
 */
export function viewerQuery(client: QueryClient, call: Call) {
  return queryOptions<Viewer>({
    queryKey: viewerKey,
    queryFn: async ({ signal }) => {
      const viewer = await call('getViewer', {});
      // An aborted answer is older than what this page already knows.
      if (!signal.aborted) forgetUnlessSame(client, viewer);
      return viewer;
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

/**
 * Fetches the viewer from the server. Rejects if it cannot be reached. All pending calls get the newest
 * answer: an older one may be about somebody who no longer uses this browser.
 */
export async function askViewer(client: QueryClient, call: Call): Promise<Viewer> {
  await hydrated;
  // A silently cancelled fetch waits for the next one, if that begins at once. With `revert` it would resolve
  // with the old viewer.
  void client.cancelQueries({ queryKey: viewerKey }, { revert: false, silent: true });
  return await client.fetchQuery({ ...viewerQuery(client, call), staleTime: 0 });
}

/** Stores the viewer from an answer or an event of the server. Returns whether it has changed. */
export function storeViewer(client: QueryClient, viewer: Viewer): boolean {
  void client.cancelQueries({ queryKey: viewerKey });
  const before = knownViewer(client);
  forgetUnlessSame(client, viewer);
  client.setQueryData(viewerKey, viewer);
  return knownViewer(client) !== before;
}

export function knownViewer(client: QueryClient): Viewer | undefined {
  return client.getQueryData<Viewer>(viewerKey);
}

/** Whether a query is about the content of the site, which depends on the reader. */
function isContent({ queryKey: [name] }: { queryKey: QueryKey }): boolean {
  return name !== 'getViewer' && name !== 'getSettings';
}

/**
 * Removes all content when the reader changes, so that the next one cannot read it on the screen or in the
 * cache.
 */
function forgetUnlessSame(client: QueryClient, next: Viewer): void {
  const before = knownViewer(client)?.user ?? null;
  if (before?.id === next.user?.id) return;
  // Everybody may see a visitor's content: it stays until more has been loaded.
  if (before === null) {
    keepFirstPages(client);
    return;
  }
  client.removeQueries({ predicate: isContent });
  client.getMutationCache().clear();
  forgetDescription();
}

/**
 * Continued lists start again for another reader (specification section 2): only one page is fetched again.
 */
function keepFirstPages(client: QueryClient): void {
  client.setQueriesData<unknown>({ predicate: isContent }, (data: unknown) =>
    isContinued(data) ? { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) } : data,
  );
}

/** Whether these are the pages of a list. */
function isContinued(data: unknown): data is InfiniteData<unknown> {
  return typeof data === 'object' && data !== null && 'pages' in data && 'pageParams' in data;
}

/**
 * Removes the tags for search engines and link previews, which contain the title and the first words of the
 * first page.
 */
function forgetDescription(): void {
  for (const tag of document.head.querySelectorAll('meta[name=description], meta[property]')) tag.remove();
}

/**
 * Fetches all content again as the reader may see it now. With `removesFirst`, the old content is removed
 * immediately; otherwise it stays until the server has answered, and is removed if that fails.
 */
export async function refreshContent(client: QueryClient, removesFirst = false): Promise<void> {
  forgetDescription();
  client.removeQueries({ predicate: isContent, type: 'inactive' });
  // The post in an open editor stays: without it the editor would close.
  const isShown = (query: Query) => isContent(query) && query.queryKey[0] !== 'editedPost';
  if (removesFirst) {
    await client.resetQueries({ predicate: isShown });
    return;
  }
  await client.invalidateQueries({ predicate: isShown });
  await client.resetQueries({
    predicate: query => isShown(query) && query.isActive() && query.state.isInvalidated,
  });
}

/** Whether the server has refused the reader a query or an action. */
export function isRefusal(error: unknown): boolean {
  return error instanceof AppError && ['unauthenticated', 'permission-denied'].includes(error.code);
}

/** Whether a right in `can` was lost with the role; tags do not count. */
export function hasLostRole(before: Viewer, after: Viewer): boolean {
  return (Object.keys(before.can) as (keyof Viewer['can'])[]).some(
    right => before.can[right] && !after.can[right],
  );
}

/** Resolves when no log-in or log-out of this page is in progress. */
export async function sessionSettled(client: QueryClient): Promise<void> {
  const isBusy = () => client.isMutating({ mutationKey: sessionMutationKey }) > 0;
  if (!isBusy()) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const unsubscribe = client.getMutationCache().subscribe(() => {
    if (!isBusy()) resolve();
  });
  await promise;
  unsubscribe();
}
