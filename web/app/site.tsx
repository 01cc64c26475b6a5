import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Output } from '../../contract/operations.ts';
import { operationQuery, useCall } from './operations.tsx';

type Viewer = Output<'getViewer'>;

/** Who is signed in and what they may do, as the server says. */
export function useViewer(): Viewer {
  return useSuspenseQuery(operationQuery(useCall(), 'getViewer', {})).data;
}

/** Takes in who is signed in now. What the one before could see is forgotten: it may not be shown to the next. */
export function useSignedIn(): (viewer: Viewer) => void {
  const client = useQueryClient();
  return viewer => {
    client.removeQueries({
      predicate: query => !['getViewer', 'getSettings'].includes(String(query.queryKey[0])),
    });
    client.setQueryData(['getViewer', {}], viewer);
  };
}

export function useSettings(): Output<'getSettings'> {
  return useSuspenseQuery(operationQuery(useCall(), 'getSettings', {})).data;
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
