import type { QueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import { usePathChange } from './navigation.ts';
import { useOperations } from './queries.tsx';
import { askViewer, hasLostRole, isRefusal, knownViewer, refreshContent, type Viewer } from './viewer.ts';

/**
 * The channel over which this browser's open pages of the site tell each other the id of their reader, or
 * null.
 */
const channelName = 'coterie-viewer';
/** A viewer fetched within this time is not fetched again when a window gets the focus, in milliseconds. */
const recentMs = 1_000;
/**
 * How long a page from the back/forward cache stays hidden until the server has answered, in milliseconds.
 */
const hiddenAtMostMs = 3_000;

let channel: BroadcastChannel | undefined;

/** Tells the other pages of this browser that the reader has changed. They ask the server themselves. */
export function announceViewer(viewer: Viewer | undefined): void {
  channel?.postMessage(viewer?.user?.id ?? null);
}

/**
 * Keeps the viewer of an open page up to date: after a login, logout or change of account in another tab, and
 * after the end of the session, at the latest when the reader returns to the page or goes to another one.
 * `useViewerChange` then updates the content.
 */
export function useViewerSync(): void {
  const { call, client } = useOperations();
  // If the server cannot be reached, the next occasion asks again.
  const ask = useEffectEvent(() => askViewer(client, call).catch(() => {}));
  const askUnlessRecent = useEffectEvent(() => {
    const { dataUpdatedAt = 0, fetchStatus } = client.getQueryState(['getViewer', {}]) ?? {};
    if (fetchStatus === 'fetching' || Date.now() - dataUpdatedAt < recentMs) return;
    void ask();
  });
  const isKnown = useEffectEvent((userId: unknown) => (knownViewer(client)?.user?.id ?? null) === userId);

  usePathChange(() => askUnlessRecent());

  useEffect(() => {
    const open = () => {
      channel = new BroadcastChannel(channelName);
      channel.onmessage = ({ data }) => {
        if (!isKnown(data)) void ask();
      };
      announceViewer(knownViewer(client));
    };
    // A page with an open channel does not enter the back/forward cache.
    const close = () => {
      channel?.close();
      channel = undefined;
    };
    const comeBack = async ({ persisted }: PageTransitionEvent) => {
      if (!persisted) return;
      open();
      if (isKnown(null)) return void ask();
      // In the cache the page has received no messages, and somebody else may use the browser now.
      document.body.style.visibility = 'hidden';
      const tooLate = new Promise(resolve => setTimeout(resolve, hiddenAtMostMs));
      await Promise.race([ask().then(() => refreshContent(client)), tooLate]);
      if (client.isFetching() > 0) void refreshContent(client, true);
      document.body.style.visibility = '';
    };
    const onVisible = () => document.visibilityState === 'visible' && askUnlessRecent();
    open();
    // A document from the browser's cache may be outdated.
    const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
    if (entry?.type === 'back_forward') void ask();
    const listening = new AbortController();
    const { signal } = listening;
    window.addEventListener('pagehide', close, { signal });
    window.addEventListener('pageshow', comeBack, { signal });
    window.addEventListener('focus', askUnlessRecent, { signal });
    document.addEventListener('visibilitychange', onVisible, { signal });
    return () => {
      listening.abort();
      close();
    };
  }, [client]);

  useRefusals(client, askUnlessRecent);
}

/** Calls `onRefusal` when the server refuses the reader a query or an action. */
function useRefusals(client: QueryClient, onRefusal: () => void): void {
  const onRefused = useEffectEvent(onRefusal);
  useEffect(() => {
    const check = (error: unknown) => {
      if (isRefusal(error)) onRefused();
    };
    const stops = [
      client.getQueryCache().subscribe(event => {
        const isOther = event.query.queryKey[0] !== 'getViewer';
        if (isOther && event.type === 'updated' && event.action.type === 'error') check(event.action.error);
      }),
      client.getMutationCache().subscribe(event => {
        if (event.type === 'updated' && event.action.type === 'error') check(event.action.error);
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [client]);
}

/** Updates the content after the reader or their rights have changed. */
export function useViewerChange(client: QueryClient, viewer: Viewer): void {
  const known = useRef(viewer);
  // In an effect: by then a screen that the reader may no longer see is unmounted, and fetches nothing.
  useEffect(() => {
    const before = known.current;
    known.current = viewer;
    if (before === viewer) return;
    const isSame = before.user?.id === viewer.user?.id;
    // The content of another reader is removed already. A visitor who has signed in may see the current
    // content and more.
    if (isSame || before.user === null) void refreshContent(client, isSame && hasLostRole(before, viewer));
  }, [client, viewer]);
}
