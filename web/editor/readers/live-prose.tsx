import { useLayoutEffect, useRef } from 'react';
import { elementsOf } from '../../ui/prose.tsx';
import { leaveTabOrder } from '../../ui/tab-order.ts';

type LiveProseProps = {
  html: string;
  /** The offsets of its outermost elements. */
  blockStarts: readonly number[];
  /** Whether Tab passes over it. */
  isBeside: boolean;
};

/**
 * The server's rendering of a text being written: only changed blocks are parsed and replaced. Parsing all of
 * a long essay blocked its author's keys for 60 ms on a slow computer, laying it out for 500.
 */
export function LiveProse({ html, blockStarts, isBeside }: LiveProseProps) {
  const place = useRef<HTMLDivElement>(null);
  const shown = useRef<Block[]>([]);
  useLayoutEffect(() => {
    if (place.current === null) return;
    const blocks = [0, ...blockStarts].map((start, at) => html.slice(start, blockStarts[at]));
    const before = shown.current;
    shown.current = showBlocks(place.current, before, blocks, isBeside);
    const changed = shown.current.find(block => !before.includes(block));
    if (!isBeside || before.length === 0 || changed === undefined) return undefined;
    return scrollTo(changed.nodes.find(node => node instanceof Element));
  }, [html, blockStarts, isBeside]);
  return <div ref={place} className="prose" dir="auto" />;
}

/**
 * Scrolls the box beside the text to what was just written, unless it is seen there. The browser tells where
 * that is: asked for it, it would lay out the whole text at once.
 */
function scrollTo(element: Element | undefined): (() => void) | undefined {
  const box = element?.closest('.beside');
  if (element === undefined || !box) return undefined;
  const watcher = new IntersectionObserver(
    ([entry]) => {
      watcher.disconnect();
      if (entry === undefined || entry.isIntersecting || entry.rootBounds === null) return;
      box.scrollTop += entry.boundingClientRect.top - entry.rootBounds.top - entry.rootBounds.height / 3;
    },
    { root: box },
  );
  watcher.observe(element);
  return () => watcher.disconnect();
}

/** A block of a text, and the nodes that show it. */
type Block = { html: string; nodes: Node[] };

/** Replaces the blocks of `place`, and returns the new ones with their nodes. */
function showBlocks(place: Node, old: Block[], next: string[], isBeside: boolean): Block[] {
  const [start, end] = equalEnds(old, next, (block, html) => block.html === html);
  const parsed = next.slice(start, next.length - end).map(html => {
    const content = elementsOf(html);
    if (isBeside) leaveTabOrder(content);
    return { html, nodes: [...content.childNodes] };
  });
  const after = old.slice(old.length - end);
  const nodesOf = (blocks: Block[]) => blocks.flatMap(({ nodes }) => nodes);
  const standing = replaceChanged(
    place,
    nodesOf(old.slice(start, old.length - end)),
    nodesOf(parsed),
    nodesOf(after)[0] ?? null,
  );
  const changed = parsed.map(({ html, nodes }) => ({ html, nodes: standing.splice(0, nodes.length) }));
  return [...old.slice(0, start), ...changed, ...after];
}

/** How many items at the start of two lists are equal, and how many of the rest at their end. */
function equalEnds<A, B>(old: A[], next: B[], isSame: (a: A, b: B) => boolean): [number, number] {
  const most = Math.min(old.length, next.length);
  const areSame = (a: A | undefined, b: B | undefined) => a !== undefined && b !== undefined && isSame(a, b);
  let start = 0;
  while (start < most && areSame(old[start], next[start])) start += 1;
  let end = 0;
  while (end < most - start && areSame(old.at(-1 - end), next.at(-1 - end))) end += 1;
  return [start, end];
}

/**
 * Replaces children of `place` before `after`, and keeps equal ones. If only the words of a block have
 * changed, it replaces these: a new block would make the browser restyle all others. Returns the nodes in the
 * order of `next`.
 */
function replaceChanged(place: Node, old: Node[], next: Node[], after: Node | null): Node[] {
  const [start, end] = equalEnds(old, next, (a, b) => a.isEqualNode(b));
  const removed = old.slice(start, old.length - end);
  const added = next.slice(start, next.length - end);
  const kept = old.slice(old.length - end);
  const [[block], [newBlock]] = [removed, added];
  const isOne = removed.length === 1 && added.length === 1;
  if (isOne && block && newBlock && block.cloneNode().isEqualNode(newBlock.cloneNode())) {
    replaceChanged(block, [...block.childNodes], [...newBlock.childNodes], null);
    return [...old.slice(0, start), block, ...kept];
  }
  for (const node of removed) place.removeChild(node);
  for (const node of added) place.insertBefore(node, kept[0] ?? after);
  return [...old.slice(0, start), ...added, ...kept];
}
