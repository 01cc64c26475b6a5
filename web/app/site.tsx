import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useMemo, useRef } from 'react';
import type { Output } from '../../contract/operations.ts';
import { usePath } from './navigation.ts';
import { operationQuery, useCall } from './operations.tsx';

type Viewer = Output<'getViewer'>;

type Site = { viewer: Viewer; settings: Output<'getSettings'> };

const SiteContext = createContext<Site | null>(null);

/** Who reads, and where: asked once for the many parts of a page that want to know. */
export function SiteProvider({ children }: { children: ReactNode }) {
  const call = useCall();
  const client = useQueryClient();
  const { data: viewer } = useSuspenseQuery(operationQuery(call, 'getViewer', {}));
  const { data: settings } = useSuspenseQuery(operationQuery(call, 'getSettings', {}));
  const path = usePath();
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    // Another tab may have logged in meanwhile: a new screen asks again what is old.
    void client.refetchQueries({ predicate: ({ queryKey }) => isOfSite(queryKey), stale: true });
  }, [client, path]);
  const site = useMemo(() => ({ viewer, settings }), [viewer, settings]);
  return <SiteContext value={site}>{children}</SiteContext>;
}

/** Whether a query is about the site and its reader, and so survives a change of reader. */
export function isOfSite([name]: readonly unknown[]): boolean {
  return name === 'getViewer' || name === 'getSettings';
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

/** Takes in who is signed in now. What the one before could see is forgotten: it may not be shown to the next. */
export function useSignedIn(): (viewer: Viewer) => void {
  const client = useQueryClient();
  return viewer => {
    client.removeQueries({
      predicate: ({ queryKey }) => !isOfSite(queryKey),
    });
    client.setQueryData(['getViewer', {}], viewer);
  };
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
