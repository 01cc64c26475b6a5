import { useSuspenseQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useMemo, useRef, useState } from 'react';
import type { Output } from '../../contract/operations.ts';
import { documentTitle } from '../../contract/pages.ts';
import { usePath, usePathChange } from './navigation.ts';
import { settingsQuery, useOperations } from './queries.tsx';
import { askViewer, knownViewer, storeViewer, type Viewer, viewerQuery } from './viewer.ts';
import { announceViewer, useViewerChange, useViewerSync } from './viewer-sync.ts';

type Site = { viewer: Viewer; settings: Output<'getSettings'> };

const SiteContext = createContext<Site | null>(null);

/** Provides the viewer and the settings of the site to all parts of a page. */
export function SiteProvider({ children }: { children: ReactNode }) {
  const { call, client } = useOperations();
  const { data: viewer } = useSuspenseQuery(viewerQuery(client, call));
  const { data: settings } = useSuspenseQuery(settingsQuery(call));
  // With each new screen, stale settings and links to pages are fetched again.
  usePathChange(() => {
    for (const name of ['getSettings', 'getPages'])
      void client.refetchQueries({ queryKey: [name], stale: true });
  });
  useViewerSync();
  useViewerChange(client, viewer);
  useEffect(() => {
    if (viewer.user !== null) endedHere = undefined;
  }, [viewer]);
  const site = useMemo(() => ({ viewer, settings }), [viewer, settings]);
  return <SiteContext value={site}>{children}</SiteContext>;
}

function useSite(): Site {
  const site = use(SiteContext);
  if (site === null) throw new Error('The app must be rendered inside a SiteProvider.');
  return site;
}

/** The current viewer and what they may do, from the server. */
export function useViewer(): Viewer {
  return useSite().viewer;
}

type Ending = 'signOut' | 'signOutEverywhere' | 'deleteAccount';

/** How this page itself ended the last session; undefined if it ended elsewhere. */
let endedHere: Ending | undefined;

/**
 * Returns a function that sets the viewer from an answer, and notifies the other tabs of this browser. If the
 * reader has changed during the call, the answer is about the one before, so the server is asked again.
 * `ending`: what ended the session, if the answer is about a visitor.
 */
export function useSetViewer(): (viewer: Viewer, ending?: Ending) => void {
  const { call, client } = useOperations();
  const before = useViewer().user?.id;
  return (viewer, ending) => {
    if (knownViewer(client)?.user?.id !== before) return void askViewer(client, call).catch(() => {});
    endedHere = ending;
    if (storeViewer(client, viewer)) announceViewer(viewer);
  };
}

/**
 * `key`, a React key, changes with the reader, so that neither content nor component state of one reader is
 * left for the next: it counts the readers of this page. `signedOut`: whose session has ended, unless they
 * pressed Logout here. Call it only in a component that exists from the page's start.
 */
export function useReader(): { key: number; signedOut: SignedOut | null } {
  const userId = useViewer().user?.id;
  const path = usePath();
  const [last, setLast] = useState({ userId, key: 0, signedOut: null as SignedOut | null });
  if (last.userId === userId) return last;
  const isTold = userId === undefined && endedHere !== 'signOut';
  const next =
    last.userId === undefined
      ? { userId, key: last.key, signedOut: null }
      : { userId, key: last.key + 1, signedOut: isTold ? { userId: last.userId, path, endedHere } : null };
  setLast(next);
  return next;
}

export type SignedOut = { userId: string; path: string; endedHere: Ending | undefined };

export function useSettings(): Output<'getSettings'> {
  return useSite().settings;
}

let isFirstPage = true;

/**
 * Sets the title of the document, and after a navigation moves the focus to the heading, so that a screen
 * reader announces the page. Returns the heading's ref.
 */
export function usePageHeading(title: string) {
  const heading = useRef<HTMLHeadingElement>(null);
  const site = useSettings().title;
  useEffect(() => {
    document.title = documentTitle(title, site);
  }, [title, site]);
  useEffect(() => {
    if (isFirstPage) isFirstPage = false;
    else heading.current?.focus({ preventScroll: true });
  }, []);
  return heading;
}
