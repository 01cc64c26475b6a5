import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useMemo, useRef, useState } from 'react';
import type { Output } from '../../contract/operations.ts';
import { usePath } from './navigation.ts';
import { settingsQuery, useCall } from './operations.tsx';
import { takeViewer, type Viewer, viewerQuery } from './viewer.ts';
import { announceViewer, useViewerChange, useViewerSync } from './viewer-sync.ts';

type Site = {
  viewer: Viewer;
  settings: Output<'getSettings'>;
  /** How many readers this page has had and has no more. */
  ended: number;
};

const SiteContext = createContext<Site | null>(null);

/** Who reads, and where: asked once for the many parts of a page that want to know. */
export function SiteProvider({ children }: { children: ReactNode }) {
  const call = useCall();
  const client = useQueryClient();
  const { data: viewer } = useSuspenseQuery(viewerQuery(client, call));
  const { data: settings } = useSuspenseQuery(settingsQuery(call));
  const path = usePath();
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    // A new screen asks again what is old.
    void client.refetchQueries({ queryKey: ['getSettings'], stale: true });
  }, [client, path]);
  useViewerSync();
  useViewerChange(client, viewer);
  const ended = useEndedReaders(viewer.user?.id);
  const site = useMemo(() => ({ viewer, settings, ended }), [viewer, settings, ended]);
  return <SiteContext value={site}>{children}</SiteContext>;
}

function useEndedReaders(userId: string | undefined): number {
  const [last, setLast] = useState({ userId, ended: 0 });
  if (last.userId === userId) return last.ended;
  const ended = last.ended + (last.userId === undefined ? 0 : 1);
  setLast({ userId, ended });
  return ended;
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

/** Takes in who is signed in now, and tells the other tabs of this browser. */
export function useSetViewer(): (viewer: Viewer) => void {
  const client = useQueryClient();
  return viewer => {
    if (takeViewer(client, viewer)) announceViewer(viewer);
  };
}

/** A key for what must not outlive its reader: not what it shows, and not what its components remember. */
export function useReaderKey(): number {
  return useSite().ended;
}

export function useSettings(): Output<'getSettings'> {
  return useSite().settings;
}

/** The title of a document: the page's own, then the site's. */
export function documentTitle(pageTitle: string, siteTitle: string): string {
  return pageTitle === '' ? siteTitle : `${pageTitle} · ${siteTitle}`;
}

let isFirstPage = true;

/**
 * Names the page in the browser, and after a navigation moves the focus to its heading, so that a screen reader says
 * where the reader has come to. Returns the heading's ref.
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
