import { type QueryClient, type QueryKey, queryOptions } from '@tanstack/react-query';
import type { Call, Output } from '../../contract/operations.ts';
import { hydrated } from './hydrated.tsx';

export type Viewer = Output<'getViewer'>;

const viewerKey = ['getViewer', {}] as const;
/** For what begins or ends a session of this browser: nobody concludes from the old one meanwhile. */
export const sessionMutationKey = ['session'] as const;

/**
 * Who is reading, as the server says. It is asked again by name alone (`askViewer`, `useViewerSync`), so that every
 * answer takes the same way: what the one before could see is forgotten before the next one is shown anything.
 */
export function viewerQuery(client: QueryClient, call: Call) {
  return queryOptions<Viewer>({
    queryKey: viewerKey,
    queryFn: async ({ signal }) => {
      const viewer = await call('getViewer', {});
      // An answer that is older than what this page knows by now says nothing.
      if (!signal.aborted) forgetUnlessSame(client, viewer);
      return viewer;
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

/** Asks the server who is reading. Rejects when it cannot be reached. */
export async function askViewer(client: QueryClient, call: Call): Promise<Viewer> {
  await hydrated;
  await client.cancelQueries({ queryKey: viewerKey });
  return await client.fetchQuery({ ...viewerQuery(client, call), staleTime: 0 });
}

/** Takes in who is reading from an answer or an event of the server. Returns whether anything is new. */
export function takeViewer(client: QueryClient, viewer: Viewer): boolean {
  void client.cancelQueries({ queryKey: viewerKey });
  const before = knownViewer(client);
  forgetUnlessSame(client, viewer);
  client.setQueryData(viewerKey, viewer);
  return knownViewer(client) !== before;
}

export function knownViewer(client: QueryClient): Viewer | undefined {
  return client.getQueryData<Viewer>(viewerKey);
}

/** Whether a query is about what the site holds, and so depends on who is reading. */
function isContent({ queryKey: [name] }: { queryKey: QueryKey }): boolean {
  return name !== 'getViewer' && name !== 'getSettings';
}

/** What one reader could see is nobody else's to read: not on the screen, and not in what the page remembers. */
function forgetUnlessSame(client: QueryClient, next: Viewer): void {
  const before = knownViewer(client)?.user ?? null;
  if (before === null || before.id === next.user?.id) return;
  client.removeQueries({ predicate: isContent });
  client.getMutationCache().clear();
  forgetDescription();
}

/** What the server told search engines and link previews about the first page: its title and its first words. */
function forgetDescription(): void {
  for (const tag of document.head.querySelectorAll('meta[name=description], meta[property]')) tag.remove();
}

/**
 * Shows everything on the page as its reader may see it now. What may no longer be seen is gone at once when rights were
 * lost (`hasLost`); otherwise it stays until the server has answered, and goes if that fails.
 */
export async function refreshContent(client: QueryClient, hasLost = false): Promise<void> {
  forgetDescription();
  client.removeQueries({ predicate: isContent, type: 'inactive' });
  if (hasLost) {
    await client.resetQueries({ predicate: isContent });
    return;
  }
  await client.invalidateQueries({ predicate: isContent });
  await client.resetQueries({
    predicate: query => isContent(query) && query.isActive() && query.state.isInvalidated,
  });
}

/** Whether a right has gone. */
export function isLess(before: Viewer, after: Viewer): boolean {
  return (Object.keys(before.can) as (keyof Viewer['can'])[]).some(
    right => before.can[right] && !after.can[right],
  );
}

/** Resolves when this page is not about to log in or out. */
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
