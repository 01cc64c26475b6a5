import { type DehydratedState, dehydrate, QueryClient } from '@tanstack/react-query';
import { renderToString } from 'react-dom/server';
import { Router } from 'wouter';
import type { Call } from '../contract/operations.ts';
import type { RenderedPage } from '../contract/pages.ts';
import { scriptSafe } from '../contract/script-safe.ts';
import { App } from './app/app.tsx';
import { settingsQuery, sitePagesQuery } from './app/queries.tsx';
import { RedirectTo } from './app/redirect-to.ts';
import { routeAt, routes } from './app/routes.ts';
import { screenAt } from './app/screen.ts';
import { viewerQuery } from './app/viewer.ts';
import { placeholderDelayMs, showPlaceholders } from './post/placeholders.ts';
import { screens } from './screens.ts';

export { startScript } from './app/start-script.ts';
export { themeScript } from './app/theme.tsx';
export { typefaceStyles } from './styles/typefaces.ts';

/**
 * Runs at the end of the text, so that a reader with a slow connection sees placeholders long before the app
 * is loaded.
 */
export const placeholderScript = `setTimeout(${showPlaceholders},${placeholderDelayMs},document)`;

/**
 * Renders the page at a path (with its query) for the viewer of `call`. Throws the errors of `call`, unless
 * the screen shows the failure itself.
 */
export async function render(address: string, call: Call): Promise<RenderedPage> {
  const url = new URL(`http://localhost${address}`);
  // Routes have no empty segments, so an address with one is redirected, before any guard sees it.
  const plain = plainPath(url.pathname);
  if (plain !== url.pathname) return { status: 302, location: plain + url.search };
  const match = screenAt(screens, url.pathname);
  if (match === undefined) return { status: 302, location: routes.timeline.href() };
  const { screen, params } = match;

  const client = new QueryClient({
    defaultOptions: { queries: { retry: false, staleTime: Number.POSITIVE_INFINITY } },
  });
  const module = await screen.load();
  try {
    const [{ status = 200, ...head }, settings] = await Promise.all([
      module.prepare({ call, client, params, search: url.searchParams }),
      client.fetchQuery(settingsQuery(call)),
      client.fetchQuery(viewerQuery(client, call)),
      // A page can be read without its links to other pages.
      client.prefetchQuery(sitePagesQuery(call)),
    ]);
    const body = renderToString(
      <Router ssrPath={url.pathname} ssrSearch={url.search}>
        <App client={client} call={call} screens={screens} />
      </Router>,
    );
    return {
      status,
      head,
      siteTitle: settings.title,
      body,
      state: scriptSafe(timeless(dehydrate(client))),
      screen: screen.source,
    };
  } catch (error) {
    if (error instanceof RedirectTo) return { status: 302, location: error.href };
    throw error;
  } finally {
    client.clear();
  }
}

/**
 * The query parameters that the page at a path reads, in any spelling of the path; undefined if the app has
 * no such page.
 */
export function queryOf(pathname: string): readonly string[] | undefined {
  const match = routeAt(plainPath(pathname));
  return match && routes[match.name].query;
}

const plainPath = (pathname: string) => pathname.replaceAll(/\/{2,}/g, '/');

/**
 * The state without the time at which it was made and the order in which its answers came. So the same
 * content has the same bytes: an unchanged page is "not modified", and a page does not reveal that something
 * happened that its reader may not see.
 */
function timeless(state: DehydratedState): DehydratedState {
  const queries = state.queries.map(query => ({
    ...query,
    dehydratedAt: 0,
    state: { ...query.state, dataUpdateCount: 1, dataUpdatedAt: 0, errorUpdatedAt: 0 },
  }));
  return { ...state, queries };
}
