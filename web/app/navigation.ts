import { type AroundNavHandler, useLocation, useRouter } from 'wouter';
import { useLocationProperty, usePathname, useSearch } from 'wouter/use-browser-location';
import { hydrated, isHydrated } from './hydrated.tsx';
import { type Screens, screenAt } from './screen.ts';

/** How the reader came to what is shown: by a link or button of the app, or by the browser (back, forward, opening it). */
type Move = 'push' | 'replace' | 'pop';

let lastMove: Move = 'pop';
/** Counts the moves: the same address again is another one. */
let moves = 0;
/** The reader has pressed a link whose screen is still loading. */
let isGoing = false;
let turns = 0;
let guard: LeaveGuard | undefined;

/** How long a screen that was left may stay until the next one is loaded. Milliseconds. */
const patienceMs = 1_000;

/** What the app knows of each entry of the history: how many of its own lie before it. */
type Entry = { index: number };

/** What a screen with unsaved text says to leaving it. */
type LeaveGuard = {
  /** Before the app goes to another path. */
  mayLeave(): Promise<boolean>;
  /** After the browser has gone back or forward: true when the app shall not hear of it. */
  takesBack(): boolean;
};

/** The number of the entry that is shown: 0 when nothing of this site lies before it. */
export function entryIndex(): number {
  return (window.history.state as Entry | null)?.index ?? 0;
}

/** Begins to follow the history. Once, before the app is rendered: its listeners must be the first. */
export function followHistory(): void {
  stamp(entryIndex());
  let last = entryIndex();
  window.addEventListener('popstate', event => {
    if (guard?.takesBack()) return event.stopImmediatePropagation();
    stayHere();
    lastMove = 'pop';
    // A hash that the browser went to by itself makes an entry that nobody has numbered.
    if (event.state === null) stamp(last + 1);
    last = entryIndex();
  });
  for (const type of ['popstate', 'hashchange', 'pushState', 'replaceState']) {
    window.addEventListener(type, () => {
      moves += 1;
      last = entryIndex();
    });
  }
}

function stamp(index: number): void {
  window.history.replaceState({ index } satisfies Entry, '');
}

/**
 * Goes to an address of the app: its screen is loaded first, so that the one that is shown stays until then, for a
 * second at most. The last wish counts; but a guard that leads elsewhere (`replace`) does not overtake where the reader
 * is already going.
 */
export const goTo =
  (screens: Screens): AroundNavHandler =>
  async (navigate, to, { replace = false } = {}) => {
    if (replace && isGoing) return;
    turns += 1;
    const turn = turns;
    if (!isHydrated()) {
      await hydrated;
      if (turn !== turns) return;
    }
    const { href, pathname } = new URL(to, window.location.href);
    if (guard !== undefined && pathname !== window.location.pathname && !(await guard.mayLeave())) return;
    const screen = screenAt(screens, pathname)?.screen;
    if (screen !== undefined && screen.module === undefined) {
      isGoing = true;
      // A screen that cannot be loaded says so itself.
      await Promise.race([
        screen.load().catch(() => {}),
        new Promise(resolve => setTimeout(resolve, patienceMs)),
      ]);
      if (turn !== turns) return;
    }
    isGoing = false;
    const isReplacing = replace || href === window.location.href;
    lastMove = isReplacing ? 'replace' : 'push';
    navigate(to, {
      replace: isReplacing,
      state: { index: entryIndex() + (isReplacing ? 0 : 1) } satisfies Entry,
    });
  };

/** The reader stays where they are: a screen that is still loading is not shown any more. */
export function stayHere(): void {
  turns += 1;
  isGoing = false;
}

/** Lets a screen keep its place until it has been asked. Returns the function that ends it. */
export function guardLeaving(own: LeaveGuard): () => void {
  guard = own;
  return () => {
    if (guard === own) guard = undefined;
  };
}

/** The screen may be left without a question: what becomes of its text has been decided. */
export function stopGuarding(): void {
  guard = undefined;
}

export function useNavigate(): (to: string, options?: { replace?: boolean }) => void {
  return useLocation()[1];
}

/** The path that is shown, with its escapes. */
export function usePath(): string {
  return usePathname(useRouter());
}

/** The query of the address. */
export function useQueryString(): URLSearchParams {
  return new URLSearchParams(useSearch(useRouter()));
}

export function useHash(): string {
  return useLocationProperty(
    () => window.location.hash,
    () => '',
  );
}

/** How the reader came here, and a number that is another one with each move. */
export function useMove(): { type: Move; count: number } {
  const count = useLocationProperty(
    () => moves,
    () => 0,
  );
  return { type: lastMove, count };
}
