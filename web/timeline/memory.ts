import { readStorage, readStoredJson, writeStorage } from '../ui/browser-storage.ts';

/**
 * The timeline's data for the session of the tab, so that returning restores everything (decision 15,
 * 16).
 */
const keys = {
  selection: 'selected-tags',
  page: 'current-page',
  scroll: 'timeline-scroll',
  /** The post that the reader went to. */
  post: 'timeline-post',
  /**
   * Set while the reader is elsewhere. Its value names the reader, because the position is restored only for
   * them.
   */
  left: 'timeline-left',
} as const;

/** More pages than anybody scrolls through: limits how much a changed number in the storage can load. */
const mostPages = 100;

/** Where a reader was on the timeline when they left it. */
export type TimelinePosition = {
  pages: number;
  scroll: number;
  selection: readonly string[];
  post: string | null;
};

/** The reader, as `timeline-left` names them. */
export function readerKey(userId: string | undefined): string {
  return userId ?? 'visitor';
}

/** Where this reader left the timeline; null if they did not, or if somebody else did. Changes nothing. */
export function rememberedPosition(reader: string): TimelinePosition | null {
  if (remembered('left') !== reader) return null;
  return {
    pages: Math.min(Math.max(1, rememberedNumber('page')), mostPages),
    scroll: Math.max(0, rememberedNumber('scroll')),
    selection: rememberedSelection(),
    post: remembered('post'),
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
  const stored = readStoredJson('sessionStorage', keys.selection);
  return Array.isArray(stored) ? stored.filter(tag => typeof tag === 'string') : [];
}

/**
 * Records that the reader is on the timeline. A position of somebody else in this tab is deleted: the next
 * reader starts at page 1.
 */
export function noteArrival(reader: string): void {
  const leaver = remembered('left');
  if (leaver !== null && leaver !== reader)
    for (const key of Object.values(keys)) writeStorage('sessionStorage', key, null);
  remember('left', null);
}

/** `post` is the post that the reader goes to; null for any other place. */
export function noteLeaving(reader: string, post: string | null): void {
  remember('left', reader);
  remember('post', post);
}

export function rememberPage(page: number): void {
  remember('page', String(page));
}

export function rememberSelection(tags: readonly string[]): void {
  remember('selection', tags.length === 0 ? null : JSON.stringify(tags));
}

/** Stored only if above 0, because the top of the page is the default. */
export function rememberScroll(y: number): void {
  remember('scroll', y > 0 ? String(Math.round(y)) : null);
}
