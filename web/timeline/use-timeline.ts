import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useState } from 'react';
import { scrollRestoreDelayMs, scrollSaveDebounceMs } from '../../contract/constants.ts';
import { timelineQuery, useCall } from '../app/operations.tsx';
import { scrollOnceTall } from '../app/scroll.ts';
import {
  noteArrival,
  noteLeaving,
  rememberedPosition,
  rememberPage,
  rememberScroll,
  type TimelinePosition,
} from './memory.ts';

/**
 * The posts under a selection. A reader who comes back finds page 1 through the page that they had reached, fetched
 * anew, and stands where they stood (decisions.md 15). `startPage` is for readers without scripts, who page by links.
 */
export function useTimeline(reader: string, tags: readonly string[], startPage: number) {
  const call = useCall();
  const client = useQueryClient();
  // Read while rendering, so that nothing is fetched before it is known how much; taking it over changes the storage.
  const [position, setPosition] = useState<TimelinePosition | null>(() => rememberedPosition(reader));
  // After the first paint, which is as the server rendered it.
  const [isReturning, setReturning] = useState(false);
  const options = timelineQuery(call, tags, startPage);
  const timeline = useInfiniteQuery({ ...options, enabled: position === null });
  const pages = timeline.data?.pages.length;

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, for the position that the reader returns to
  useEffect(() => {
    if (position === null) return;
    let giveUp = () => {};
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isHere = true;
    setReturning(true);
    const again = { ...options, pages: position.pages, staleTime: 0 };
    // A failure is the query's, and shown as such.
    client.prefetchInfiniteQuery(again).then(() => {
      if (!isHere) return;
      setPosition(null);
      setReturning(false);
      if (position.scroll === 0) return;
      timer = setTimeout(() => {
        giveUp = scrollOnceTall(position.scroll);
      }, scrollRestoreDelayMs);
    });
    return () => {
      isHere = false;
      clearTimeout(timer);
      giveUp();
    };
  }, []);

  useEffect(() => {
    if (position === null && pages !== undefined) rememberPage(pages);
  }, [position, pages]);
  useStayMemory(reader, timeline.refetch);

  return { timeline, isReturning };
}

/** Notes arrival, scroll position and departure, be it to another screen or to another site. */
function useStayMemory(reader: string, refetch: () => unknown): void {
  // Before the page that comes next is laid out, whose scrolling is not ours.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once a position; `refetch` is the query's, whatever its key
  useLayoutEffect(() => {
    noteArrival(reader);
    let y: number | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const save = () => {
      clearTimeout(timer);
      if (y !== undefined) rememberScroll(y);
      y = undefined;
    };
    const note = () => {
      y = window.scrollY;
      clearTimeout(timer);
      timer = setTimeout(save, scrollSaveDebounceMs);
    };
    const leave = () => {
      save();
      noteLeaving(reader);
    };
    // A document that the browser kept whole comes back with its posts as they were.
    const comeBack = (event: PageTransitionEvent) => {
      if (!event.persisted) return;
      noteArrival(reader);
      refetch();
    };
    window.addEventListener('scroll', note, { passive: true });
    window.addEventListener('pagehide', leave);
    window.addEventListener('pageshow', comeBack);
    return () => {
      leave();
      window.removeEventListener('scroll', note);
      window.removeEventListener('pagehide', leave);
      window.removeEventListener('pageshow', comeBack);
    };
  }, [reader]);
}
