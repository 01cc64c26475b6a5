import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import { AppError } from '../../contract/errors.ts';
import { usePath } from './navigation.ts';
import { useCall } from './operations.tsx';
import { askViewer, isLess, knownViewer, refreshContent, type Viewer } from './viewer.ts';

/** The open pages of this site in this browser tell each other whom they know as their reader, by id or null. */
const channelName = 'coterie-viewer';
/** What was asked so recently is not asked again because a window got the focus. Milliseconds. */
const recentMs = 1_000;
/** How long a page that the browser kept whole stays hidden until the server has answered. Milliseconds. */
const hiddenAtMostMs = 3_000;

let channel: BroadcastChannel | undefined;

/** Tells the other pages of this browser who is reading now. They ask the server themselves. */
export function announceViewer(viewer: Viewer | undefined): void {
  channel?.postMessage(viewer?.user?.id ?? null);
}

/**
 * Keeps an open page true to who is reading: a login, logout or change of account in another tab reaches it, and so does a
 * session that has ended, at the latest when the reader comes back to the page or goes on to another. What shall be
 * shown after that, `useViewerChange` says.
 */
export function useViewerSync(): void {
  const client = useQueryClient();
  const call = useCall();
  const path = usePath();
  // The server that cannot be reached says nothing; the next occasion asks again.
  const ask = useEffectEvent(() => askViewer(client, call).catch(() => {}));
  const askUnlessRecent = useEffectEvent(() => {
    const { dataUpdatedAt = 0, fetchStatus } = client.getQueryState(['getViewer', {}]) ?? {};
    if (fetchStatus === 'fetching' || Date.now() - dataUpdatedAt < recentMs) return;
    void ask();
  });
  const isKnown = useEffectEvent((userId: unknown) => (knownViewer(client)?.user?.id ?? null) === userId);

  const shown = useRef(path);
  useEffect(() => {
    if (shown.current !== path) askUnlessRecent();
    shown.current = path;
  }, [path]);

  useEffect(() => {
    const open = () => {
      channel = new BroadcastChannel(channelName);
      channel.onmessage = ({ data }) => {
        if (!isKnown(data)) void ask();
      };
      announceViewer(knownViewer(client));
    };
    // A browser keeps no page for "Back" that listens to others.
    const close = () => {
      channel?.close();
      channel = undefined;
    };
    const comeBack = async ({ persisted }: PageTransitionEvent) => {
      if (!persisted) return;
      open();
      if (isKnown(null)) return void ask();
      // Nobody has told this page anything while it was away, and somebody else may sit here now.
      document.body.style.visibility = 'hidden';
      await Promise.race([ask().then(() => refreshContent(client)), timeout(hiddenAtMostMs)]);
      if (client.isFetching() > 0) void refreshContent(client, true);
      document.body.style.visibility = '';
    };
    const onVisible = () => document.visibilityState === 'visible' && askUnlessRecent();
    open();
    // A document that the browser took from its memory may be of another time.
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

  useEffect(() => {
    const check = (error: unknown) => {
      const isRefusal =
        error instanceof AppError && ['unauthenticated', 'permission-denied'].includes(error.code);
      if (isRefusal) askUnlessRecent();
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

/** Shows what the reader may see now, once the page knows that they or their rights are others. */
export function useViewerChange(client: QueryClient, viewer: Viewer): void {
  const known = useRef(viewer);
  // In an effect: by then a screen that its reader may no longer see has gone, and asks for nothing.
  useEffect(() => {
    const before = known.current;
    known.current = viewer;
    if (before === viewer) return;
    const isSame = before.user?.id === viewer.user?.id;
    // Of another reader nothing is left by now; whoever was nobody sees what there was, and more.
    if (isSame || before.user === null) void refreshContent(client, isSame && isLess(before, viewer));
  }, [client, viewer]);
}

function timeout(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms));
}
