import { useEffect, useEffectEvent, useState } from 'react';
import { createKey } from './key.ts';

/**
 * Back closes layers over the page: a phone has no other key for it. Opening one pushes a history entry with
 * the same address; closing it in another way goes back over the entry; a page that is left while a layer is
 * open replaces it (app/navigation.ts).
 */

/** An open layer. `index` is the number of its entry, once it has one. */
type Layer = { key: string; index: number; onBack(): void };

/** The state of an entry: its number, and for a layer its key. */
type Entry = { index: number; layer?: string };

/** The layers with entries, the last one on top. */
let open: Layer[] = [];
/** Changes of the history, one after another: the browser goes back asynchronously. */
let changes: Promise<void> | undefined;
let arrive: (() => void) | undefined;

/**
 * How long the browser may take to go back, in milliseconds. A link that is followed too early would be left
 * again by that step.
 */
const patienceMs = 5_000;

const entry = () => (window.history.state ?? { index: 0 }) as Entry;
const isDead = ({ layer }: Entry) => layer !== undefined && open.every(({ key }) => key !== layer);

/** While `isOpen`, Back calls `close` instead of leaving the page. */
export function useBackCloses(isOpen: boolean, close: () => void): void {
  // Counts presses of Back: a layer that stays open because it is busy gets an entry again.
  const [presses, setPresses] = useState(0);
  const onBack = useEffectEvent(() => {
    close();
    setPresses(presses + 1);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each press of Back takes an entry
  useEffect(() => {
    if (!isOpen) return undefined;
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
    // Bypasses the router, which itself follows `history.pushState`: for it this is no move.
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

/** Goes back over the entries of closed layers. */
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

/** Resolves once the history matches the open layers; undefined if it already does. */
export function layersSettled(): Promise<void> | undefined {
  return changes;
}

/** Whether the current entry belongs to an open layer. */
export function isOnLayer(): boolean {
  return entry().layer !== undefined;
}

/**
 * Must be called after the browser has gone back or forward, before anything else. Closes the layers that the
 * step has left. Returns whether the page stays as it is, so that the app must ignore the step.
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
