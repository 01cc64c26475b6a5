import { readStorage, writeStorage } from '../ui/browser-storage.ts';

/**
 * What the timeline keeps for the tab's session, so that coming back is like never having left (decisions.md 15, 16).
 */
const keys = {
  selection: 'selected-tags',
  page: 'current-page',
  scroll: 'timeline-scroll',
  /** Set while the reader is elsewhere; its value says who left, because what they reached is theirs alone. */
  left: 'timeline-left',
} as const;

/** More pages than anybody scrolls through: a changed number in the storage costs no endless reload. */
const mostPages = 100;

/** Where a reader was on the timeline when they left it. */
export type TimelinePosition = { pages: number; scroll: number; selection: readonly string[] };

/** Who is reading, as `timeline-left` names them. */
export function readerKey(userId: string | undefined): string {
  return userId ?? 'visitor';
}

/** Where this reader left the timeline; null when they did not, or when somebody else did. Changes nothing. */
export function rememberedPosition(reader: string): TimelinePosition | null {
  if (remembered('left') !== reader) return null;
  return {
    pages: Math.min(Math.max(1, rememberedNumber('page')), mostPages),
    scroll: Math.max(0, rememberedNumber('scroll')),
    selection: rememberedSelection(),
  };
}

const remembered = (name: keyof typeof keys) => readStorage('sessionStorage', keys[name]);
const remember = (name: keyof typeof keys, text: string | null) =>
  writeStorage('sessionStorage', keys[name], text);

function rememberedNumber(name: 'page' | 'scroll'): number {
  const number = Math.floor(Number(remembered(name)));
  return Number.isFinite(number) ? number : 0;
}

function rememberedSelection(): string[] {
  try {
    const stored: unknown = JSON.parse(remembered('selection') ?? '[]');
    return Array.isArray(stored) ? stored.filter(tag => typeof tag === 'string') : [];
  } catch {
    // Not ours: as if nothing had been selected.
    return [];
  }
}

/** The reader is here. What somebody else left in this tab is forgotten: the next reader starts at page 1. */
export function noteArrival(reader: string): void {
  const leaver = remembered('left');
  if (leaver !== null && leaver !== reader)
    for (const key of Object.values(keys)) writeStorage('sessionStorage', key, null);
  remember('left', null);
}

export function noteLeaving(reader: string): void {
  remember('left', reader);
}

export function rememberPage(page: number): void {
  remember('page', String(page));
}

export function rememberSelection(tags: readonly string[]): void {
  remember('selection', tags.length === 0 ? null : JSON.stringify(tags));
}

/** Kept above 0; the top of the page is where everybody starts anyway. */
export function rememberScroll(y: number): void {
  remember('scroll', y > 0 ? String(Math.round(y)) : null);
}
