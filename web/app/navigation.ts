import { useEffect, useEffectEvent, useRef } from 'react';
import { type AroundNavHandler, useLocation, useRouter } from 'wouter';
import { useLocationProperty, usePathname, useSearch } from 'wouter/use-browser-location';
import { isOnLayer, layersSettled, stepClosesLayers } from '../ui/back-closes.ts';
import { hydrated, isHydrated } from './hydrated.tsx';
import { type Screens, screenAt } from './screen.ts';

/**
 * How the reader came to this page: by a link or button of the app, or by the browser (back, forward, opening
 * it).
 */
type Move = 'push' | 'replace' | 'pop';

let lastMove: Move = 'pop';
/** The number of moves: going to the same address again is another move. */
let moves = 0;
/** Whether the reader has followed a link whose screen is still loading. */
let isGoing = false;
let turns = 0;
let guard: LeaveGuard | undefined;

/** How long the old screen may stay until the next one is loaded, in milliseconds. */
const patienceMs = 1_000;

/** The state of an entry of the history: how many entries of the app are before it. */
type Entry = { index: number };

/** The callbacks of a screen with unsaved text. */
type LeaveGuard = {
  /** Asked before the app goes to another path. */
  mayLeave(): Promise<boolean>;
  /** Called after the browser has gone back or forward; returns true if the app must ignore it. */
  takesBack(): boolean;
};

/** The number of the current entry: 0 if it is the first of this site. */
export function entryIndex(): number {
  return (window.history.state as Entry | null)?.index ?? 0;
}

/**
 * Begins to follow the history. Must be called once, before the app is rendered, so that its listeners are
 * the first.
 */
export function followHistory(): void {
  stamp(entryIndex());
  let last = entryIndex();
  const addressOf = () => window.location.pathname + window.location.search;
  let address = addressOf();
  window.addEventListener('popstate', event => {
    if (stepClosesLayers(addressOf() === address)) {
      last = entryIndex();
      return event.stopImmediatePropagation();
    }
    if (guard?.takesBack()) return event.stopImmediatePropagation();
    // A link within the page does not cancel a navigation: otherwise the editor, which leaves after a save,
    // would stay inert.
    if (addressOf() !== address) stayHere();
    // When the browser itself goes to a hash, the new entry has no number yet.
    lastMove = event.state === null ? 'push' : 'pop';
    if (event.state === null) stamp(last + 1);
    last = entryIndex();
  });
  for (const type of ['popstate', 'hashchange', 'pushState', 'replaceState']) {
    window.addEventListener(type, () => {
      moves += 1;
      last = entryIndex();
      address = addressOf();
    });
  }
}

function stamp(index: number): void {
  window.history.replaceState({ index } satisfies Entry, '');
}

/**
 * Goes to an address of the app. Its screen is loaded first, and the current one stays until then, for a
 * second at most. The last navigation wins, except that a redirect (`replace`) does not overtake where the
 * reader is already going.
 */
export const goTo =
  (screens: Screens): AroundNavHandler =>
  async (navigate, to, { replace = false } = {}) => {
    if (replace && isGoing) return;
    turns += 1;
    const turn = turns;
    if (!isHydrated()) await hydrated;
    // A layer that was just closed is still going back in the history.
    await layersSettled();
    if (turn !== turns) return;
    const { href, pathname } = new URL(to, window.location.href);
    if (guard !== undefined && pathname !== window.location.pathname && !(await guard.mayLeave())) {
      // The reader stays, also if they were going elsewhere before.
      if (turn === turns) stayHere();
      return;
    }
    const screen = screenAt(screens, pathname)?.screen;
    if (screen !== undefined && screen.module === undefined) {
      isGoing = true;
      // The boundary shows that a screen could not be loaded.
      await Promise.race([
        screen.load().catch(() => {}),
        new Promise(resolve => setTimeout(resolve, patienceMs)),
      ]);
      if (turn !== turns) return;
    }
    isGoing = false;
    const isReplacing = replace || href === window.location.href;
    lastMove = isReplacing ? 'replace' : 'push';
    // The new page replaces the history entry of an open layer.
    const isInPlace = isReplacing || isOnLayer();
    navigate(to, {
      replace: isInPlace,
      state: { index: entryIndex() + (isInPlace ? 0 : 1) } satisfies Entry,
    });
  };

/** Cancels a navigation whose screen is still loading. */
export function stayHere(): void {
  turns += 1;
  isGoing = false;
}

/** Installs a guard that is asked before the screen is left. Returns a function that removes it. */
export function guardLeaving(own: LeaveGuard): () => void {
  guard = own;
  return () => {
    if (guard === own) guard = undefined;
  };
}

/** Removes the guard: the reader has decided about the text. */
export function stopGuarding(): void {
  guard = undefined;
}

export function useNavigate(): (to: string, options?: { replace?: boolean }) => void {
  return useLocation()[1];
}

/** The current path, with its escapes. */
export function usePath(): string {
  return usePathname(useRouter());
}

export function usePathChange(act: () => void): void {
  const path = usePath();
  const shown = useRef(path);
  const onChange = useEffectEvent(act);
  useEffect(() => {
    if (shown.current !== path) onChange();
    shown.current = path;
  }, [path]);
}

export function useQueryString(): URLSearchParams {
  return new URLSearchParams(useSearch(useRouter()));
}

export function useHash(): string {
  return useLocationProperty(
    () => window.location.hash,
    () => '',
  );
}

/** How the reader came here, and the number of the move. */
export function useMove(): { type: Move; count: number } {
  const count = useLocationProperty(
    () => moves,
    () => 0,
  );
  return { type: lastMove, count };
}
