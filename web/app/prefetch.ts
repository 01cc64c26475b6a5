import type { QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Call } from '../../contract/operations.ts';
import { screenAt } from './routes.ts';

/** How long a pointer or the focus rests on a link before it means something. Milliseconds. */
const restMs = 65;

/** Posts and tags: what they show is the same a moment later. Other screens ask anew when they are opened. */
const isForReading = /^\/(post|tags)\//;

/** Fetches what a link of this site leads to as soon as a reader seems about to follow it. */
export function usePrefetch(client: QueryClient, call: Call): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const follow = ({ target, type }: Event) => {
      clearTimeout(timer);
      const link = target instanceof Element ? target.closest('a') : null;
      if (link === null || link.origin !== location.origin || link.pathname === location.pathname) return;
      const { pathname, search } = link;
      timer = setTimeout(() => prefetch(client, call, pathname, search), type === 'touchstart' ? 0 : restMs);
    };
    const intents = ['mouseover', 'focusin', 'touchstart'] as const;
    for (const intent of intents) document.addEventListener(intent, follow, { passive: true });
    return () => {
      clearTimeout(timer);
      for (const intent of intents) document.removeEventListener(intent, follow);
    };
  }, [client, call]);
}

async function prefetch(client: QueryClient, call: Call, pathname: string, search: string): Promise<void> {
  const match = screenAt(pathname);
  if (match === undefined) return;
  const { screen, params } = match;
  try {
    const { prepare } = await screen.load();
    if (!isForReading.test(screen.path)) return;
    await prepare({ call, client, params, search: new URLSearchParams(search) });
  } catch {
    // Who follows the link is told by its screen.
  }
}
