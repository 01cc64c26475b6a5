import type { QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Call } from '../../contract/operations.ts';
import { type RouteName, routeAt } from './routes.ts';
import type { Screens } from './screen.ts';

/** How long a pointer or the focus must rest on a link before its page is fetched, in milliseconds. */
const restMs = 65;

/**
 * The screens to prefetch: their content does not change within a moment. Other screens fetch when they are
 * opened.
 */
const isForReading: ReadonlySet<RouteName> = new Set(['post', 'tag']);

/** Fetches the page of a link within this site as soon as a reader seems about to follow it. */
export function usePrefetch(client: QueryClient, call: Call, screens: Screens): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const follow = ({ target, type }: Event) => {
      clearTimeout(timer);
      const link = target instanceof Element ? target.closest('a') : null;
      if (link === null || link.origin !== location.origin || link.pathname === location.pathname) return;
      const { pathname, search } = link;
      timer = setTimeout(
        () => prefetch(client, call, screens, pathname, search),
        type === 'touchstart' ? 0 : restMs,
      );
    };
    const intents = ['mouseover', 'focusin', 'touchstart'] as const;
    for (const intent of intents) document.addEventListener(intent, follow, { passive: true });
    return () => {
      clearTimeout(timer);
      for (const intent of intents) document.removeEventListener(intent, follow);
    };
  }, [client, call, screens]);
}

async function prefetch(
  client: QueryClient,
  call: Call,
  screens: Screens,
  pathname: string,
  search: string,
): Promise<void> {
  const match = routeAt(pathname);
  if (match === undefined) return;
  const { name, params } = match;
  try {
    const { prepare } = await screens[name].load();
    if (!isForReading.has(name)) return;
    await prepare({ call, client, params, search: new URLSearchParams(search) });
  } catch {
    // If the reader follows the link, its screen shows the error.
  }
}
