import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useMemo, useRef, useState } from 'react';
import type { Output } from '../../contract/operations.ts';
import { documentTitle } from '../../contract/pages.ts';
import { usePathChange } from './navigation.ts';
import { settingsQuery, useCall } from './operations.tsx';
import { takeViewer, type Viewer, viewerQuery } from './viewer.ts';
import { announceViewer, useViewerChange, useViewerSync } from './viewer-sync.ts';

type Site = { viewer: Viewer; settings: Output<'getSettings'> };

const SiteContext = createContext<Site | null>(null);

/** Provides the viewer and the settings of the site to all parts of a page. */
export function SiteProvider({ children }: { children: ReactNode }) {
  const call = useCall();
  const client = useQueryClient();
  const { data: viewer } = useSuspenseQuery(viewerQuery(client, call));
  const { data: settings } = useSuspenseQuery(settingsQuery(call));
  // With each new screen, stale settings are fetched again.
  usePathChange(() => void client.refetchQueries({ queryKey: ['getSettings'], stale: true }));
  useViewerSync();
  useViewerChange(client, viewer);
  const site = useMemo(() => ({ viewer, settings }), [viewer, settings]);
  return <SiteContext value={site}>{children}</SiteContext>;
}

function useSite(): Site {
  const site = use(SiteContext);
  if (site === null) throw new Error('The app must be rendered inside a SiteProvider.');
  return site;
}

/** Who is signed in and what they may do, as the server says. */
export function useViewer(): Viewer {
  return useSite().viewer;
}

/** Returns the function that sets who is signed in, and tells the other tabs of this browser. */
export function useSetViewer(): (viewer: Viewer) => void {
  const client = useQueryClient();
  return viewer => {
    if (takeViewer(client, viewer)) announceViewer(viewer);
  };
}

/**
 * A React key that changes with the reader, so that neither content nor component state of one reader is left
 * for the next: how many readers this page has had before the current one. It counts since the component that
 * calls it was mounted, so call it only in one that is there from the page's start.
 */
export function useReaderKey(): number {
  const userId = useViewer().user?.id;
  const [last, setLast] = useState({ userId, ended: 0 });
  if (last.userId === userId) return last.ended;
  const ended = last.ended + (last.userId === undefined ? 0 : 1);
  setLast({ userId, ended });
  return ended;
}

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
