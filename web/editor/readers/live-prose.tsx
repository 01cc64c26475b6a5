import { useLayoutEffect, useRef } from 'react';
import { elementsOf } from '../../ui/prose.tsx';
import { leaveTabOrder } from '../../ui/tab-order.ts';

type LiveProseProps = {
  html: string;
  /** Where its outermost elements begin. */
  blockStarts: readonly number[];
  /** Whether Tab passes over it. */
  isBeside: boolean;
};

/**
 * Text of the server's that is being written: only blocks that have changed are parsed and replaced. Parsing
 * all of a long essay held up the keys of its author for 60 ms on a slow computer, setting it for 500.
 */
export function LiveProse({ html, blockStarts, isBeside }: LiveProseProps) {
  const place = useRef<HTMLDivElement>(null);
  const shown = useRef<Block[]>([]);
  useLayoutEffect(() => {
    if (place.current === null) return;
    const blocks = [0, ...blockStarts].map((start, at) => html.slice(start, blockStarts[at]));
    shown.current = showBlocks(place.current, shown.current, blocks, isBeside);
  }, [html, blockStarts, isBeside]);
  return <div ref={place} className="prose" dir="auto" />;
}

/** A part of a text, and what shows it. */
type Block = { html: string; nodes: Node[] };

/** Makes `place` show these blocks instead of others, and returns what shows them. */
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

/** How many at the start of two lists are equal, and how many of the others at their end. */
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
 * Replaces children of `place`, which stand before `after`, and leaves those in place that are equal. In a
 * block of which only the words have changed, it replaces these: a new block makes the browser restyle all
 * others. Returns what stands there now, in the order of `next`.
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
