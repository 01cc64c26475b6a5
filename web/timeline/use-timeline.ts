import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useLayoutEffect, useState } from 'react';
import { scrollRestoreDelayMs, scrollSaveDebounceMs } from '../../contract/constants.ts';
import { timelineQuery, useOperations } from '../app/queries.tsx';
import { routeAt } from '../app/routes.ts';
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
 * The posts for a selection. For a reader who returns, all pages that they had reached are fetched again, and
 * their scroll position is restored (decision 15). `startPage` is for readers without scripts, who page
 * by links.
 */
export function useTimeline(reader: string, tags: readonly string[], startPage: number) {
  const { call, client } = useOperations();
  // Read while rendering, so that nothing is fetched before the number of pages is known. The effect below
  // then clears the storage.
  const [position, setPosition] = useState<TimelinePosition | null>(() => rememberedPosition(reader));
  // Set after the first paint, which must equal the server's rendering.
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
    // The query reports a failure itself.
    client.prefetchInfiniteQuery(again).then(() => {
      if (!isHere) return;
      setPosition(null);
      setReturning(false);
      timer = setTimeout(() => {
        focusCard(position.post);
        if (position.scroll > 0) giveUp = scrollOnceTall(position.scroll);
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

/** Moves the focus from the heading to the card of the post that the reader returns from. */
function focusCard(postId: string | null): void {
  const isElsewhere = document.activeElement?.matches('h1, body') !== true;
  if (postId === null || isElsewhere) return;
  document.getElementById(`name-${postId}`)?.closest('article')?.focus({ preventScroll: true });
}

/** Stores arrival, scroll position and departure, to another screen or to another site. */
function useStayMemory(reader: string, refetch: () => unknown): void {
  const fetchAgain = useEffectEvent(refetch);
  // Before the next page is laid out, because its scroll position is not the timeline's.
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
      noteLeaving(reader, routeAt(window.location.pathname)?.params.postId ?? null);
    };
    // A document from the back/forward cache still has its old posts.
    const comeBack = (event: PageTransitionEvent) => {
      if (!event.persisted) return;
      noteArrival(reader);
      fetchAgain();
    };
    const listening = new AbortController();
    const { signal } = listening;
    window.addEventListener('scroll', note, { passive: true, signal });
    window.addEventListener('pagehide', leave, { signal });
    window.addEventListener('pageshow', comeBack, { signal });
    return () => {
      leave();
      listening.abort();
    };
  }, [reader]);
}
