import { useEffect, useEffectEvent, useState } from 'react';
import { createKey } from './key.ts';

/**
 * Back closes what is open over the page: a phone has no other key for it. Opening pushes an entry of the
 * history with the same address; closing by another way goes back over it; a page that is left while
 * something is open replaces it (app/navigation.ts).
 */

/** Something open. `index` is the number of its entry, once it has one. */
type Layer = { key: string; index: number; onBack(): void };

/** The state of an entry: its number, and for that of something open the key of it. */
type Entry = { index: number; layer?: string };

/** Those that have entries, the last one on top. */
let open: Layer[] = [];
/** Changes of the history, one after another: the browser goes back later than it is told. */
let changes: Promise<void> | undefined;
let arrive: (() => void) | undefined;

/** How long the browser may take to go back, in milliseconds. */
const patienceMs = 1_000;

const entry = () => (window.history.state ?? { index: 0 }) as Entry;
const isDead = ({ layer }: Entry) => layer !== undefined && open.every(({ key }) => key !== layer);

/** While `isOpen`, Back calls `close` instead of leaving the page. */
export function useBackCloses(isOpen: boolean, close: () => void): void {
  // Counts how often Back was pressed: what stays open nevertheless, because it is busy, gets an entry again.
  const [presses, setPresses] = useState(0);
  const onBack = useEffectEvent(() => {
    close();
    setPresses(presses + 1);
  });
  useEffect(() => {
    if (!isOpen || presses < 0) return undefined;
    return pushLayer(() => onBack());
  }, [isOpen, presses]);
}

function pushLayer(onBack: () => void): () => void {
  const key = createKey();
  let isClosed = false;
  inOrder(async () => {
    if (isClosed) return;
    const index = entry().index + 1;
    open.push({ key, index, onBack });
    // Past the router, for which this is no move: it follows `history.pushState` itself.
    History.prototype.pushState.call(window.history, { index, layer: key } satisfies Entry, '');
  });
  return () => {
    isClosed = true;
    inOrder(async () => {
      open = open.filter(layer => layer.key !== key);
      await leaveDead();
    });
  };
}

/** Goes back over the entries of what is not open any more. */
async function leaveDead(): Promise<void> {
  while (isDead(entry())) {
    const before = entry().index;
    await new Promise<void>(resolve => {
      arrive = resolve;
      setTimeout(resolve, patienceMs);
      window.history.back();
    });
    arrive = undefined;
    if (entry().index >= before) return;
  }
}

function inOrder(change: () => Promise<void>): void {
  const all = (changes ?? Promise.resolve()).then(change).finally(() => {
    if (changes === all) changes = undefined;
  });
  changes = all;
}

/** Resolves once the history is that of what is open; undefined if it is already. */
export function layersSettled(): Promise<void> | undefined {
  return changes;
}

/** Whether the current entry is that of something open. */
export function isOnLayer(): boolean {
  return entry().layer !== undefined;
}

/**
 * To be called after the browser has gone back or forward, before anybody else. Closes what the step has
 * left. Returns whether the page stays as it is, so that the app must ignore the step.
 */
export function stepClosesLayers(isSameAddress: boolean): boolean {
  if (arrive !== undefined) {
    arrive();
    return true;
  }
  const here = entry();
  if (isDead(here)) {
    inOrder(leaveDead);
    return true;
  }
  const left = open.filter(({ index }) => index > here.index);
  if (!isSameAddress || left.length === 0) return false;
  open = open.filter(layer => !left.includes(layer));
  for (const { onBack } of left.toReversed()) onBack();
  return left[0]?.index === here.index + 1;
}
