import { useLayoutEffect, useRef } from 'react';
import { entryIndex, useMove, usePath, useQueryString } from './navigation.ts';
import { routes } from './routes.ts';

/** How long a page may take to grow to its former height. Milliseconds. */
const growWithinMs = 5_000;

/** The scroll position of each entry of the history, by its number. */
const positions = new Map<number, number>();

/**
 * Scrolls as a browser does between documents: a new page starts at its top, and going back restores the
 * position. The timeline restores its own position (decision 15).
 */
export function useScrollMemory(): void {
  const path = usePath();
  const search = useQueryString().toString();
  const { type, count } = useMove();
  const before = useRef({ path, search, count });

  useLayoutEffect(() => {
    const listening = new AbortController();
    const { signal } = listening;
    // The browser would restore the position before the page is rendered.
    const take = () => {
      window.history.scrollRestoration = 'manual';
    };
    // On a reload the browser's own restoration is right.
    const giveBack = () => {
      window.history.scrollRestoration = 'auto';
    };
    const note = () => positions.set(entryIndex(), window.scrollY);
    take();
    window.addEventListener('pageshow', take, { signal });
    window.addEventListener('pagehide', giveBack, { signal });
    window.addEventListener('scroll', note, { passive: true, signal });
    return () => listening.abort();
  }, []);

  useLayoutEffect(() => {
    const last = before.current;
    before.current = { path, search, count };
    if (last.count === count) return undefined;
    const isElsewhere = last.path !== path;
    if (type === 'pop') {
      const position = positions.get(entryIndex());
      // To a hash of the same page that was never seen here, the browser has already scrolled.
      if (position === undefined && !isElsewhere && last.search === search) return undefined;
      if (path !== routes.timeline.href() || !isElsewhere) return scrollOnceTall(position ?? 0);
      window.scrollTo(0, 0);
    } else if (isElsewhere || (window.location.hash === '' && type === 'push' && last.search !== search)) {
      window.scrollTo(0, 0);
      if (window.location.hash !== '') return scrollToHash(window.location.hash.slice(1));
    }
    return undefined;
  }, [path, search, count, type]);
}

/**
 * Scrolls to `y` once the page is tall enough, unless the reader scrolls first. Returns a function that
 * cancels it.
 */
export function scrollOnceTall(y: number): () => void {
  return keepTrying(() => {
    window.scrollTo({ top: y, behavior: 'instant' });
    return document.documentElement.scrollHeight - window.innerHeight >= y;
  });
}

function scrollToHash(id: string): () => void {
  return keepTrying(() => {
    const target = document.getElementById(id);
    target?.scrollIntoView();
    return target !== null;
  });
}

/**
 * Scrolls to an element after some milliseconds, and again while content is still loading. Ends as
 * `scrollOnceTall` does.
 */
export function scrollToElement(element: HTMLElement, afterMs = 0): () => void {
  const margin = Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingBlockStart) || 0;
  return keepTrying(() => {
    element.scrollIntoView({ block: 'start', behavior: 'instant' });
    // While the page is too short, the element is below that place.
    return element.getBoundingClientRect().top <= margin + 1;
  }, afterMs);
}

/**
 * Scrolls an element that begins in the lower half of the screen to its middle, and again while the page is
 * still loading below it. Ends as `scrollOnceTall` does.
 */
export function showFromMiddle(element: Element): () => void {
  return keepTrying(() => {
    const tooLow = element.getBoundingClientRect().top - window.innerHeight / 2;
    window.scrollBy({ top: Math.max(tooLow, 0), behavior: 'instant' });
    return tooLow <= 0;
  });
}

/**
 * Tries again whenever the page has grown, until the attempt succeeds, the reader scrolls, or it takes too
 * long.
 */
function keepTrying(attempt: () => boolean, afterMs = 0): () => void {
  if (afterMs === 0 && attempt()) return () => {};
  const observer = new ResizeObserver(() => attempt() && stop());
  const moves = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;
  // An observer is called at first, too.
  const begin = setTimeout(() => observer.observe(document.body), afterMs);
  const timer = setTimeout(stop, afterMs + growWithinMs);
  function stop() {
    clearTimeout(begin);
    clearTimeout(timer);
    observer.disconnect();
    for (const move of moves) window.removeEventListener(move, stop);
  }
  for (const move of moves) window.addEventListener(move, stop, { passive: true });
  return stop;
}
