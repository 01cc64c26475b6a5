import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { leaveTabOrder } from './tab-order.ts';

type Trusting = {
  trustedTypes?: { createPolicy(name: string, rules: { createHTML(html: string): string }): Rules };
};
/** The result is trusted HTML for the browser, and a string for React and TypeScript. */
type Rules = { createHTML(html: string): string };

/**
 * The only code that turns text into elements: in browsers with Trusted Types, the content policy of our
 * pages (server/surfaces/pages/web.ts) lets no other code set HTML.
 */
const { trustedTypes }: Trusting = globalThis as Trusting;
const policy: Rules = trustedTypes?.createPolicy('coterie', { createHTML: html => html }) ?? {
  createHTML: html => html,
};

/** Text that the server rendered from Markdown and sanitised. */
export function Prose({ html, className = 'prose' }: { html: string; className?: string }) {
  const inner = useMemo(() => ({ __html: policy.createHTML(html) }), [html]);
  // biome-ignore lint/security/noDangerouslySetInnerHtml: server/markdown is the one place where this HTML comes from
  return <div className={className} dir="auto" dangerouslySetInnerHTML={inner} />;
}

/**
 * The same for a text that is being written: blocks that have not changed stay in place. Setting all of
 * a long essay's HTML again held up the keys of its author for half a second on a slow computer. `isBeside`:
 * Tab passes over it.
 */
export function LiveProse({ html, isBeside }: { html: string; isBeside: boolean }) {
  const place = useRef<HTMLDivElement>(null);
  // React never sets it again.
  const [first] = useState(() => ({ __html: policy.createHTML(html) }));
  useLayoutEffect(() => {
    if (place.current === null) return;
    const template = document.createElement('template');
    template.innerHTML = policy.createHTML(html);
    if (isBeside) leaveTabOrder(template.content);
    replaceChanged(place.current, template.content);
  }, [html, isBeside]);
  // biome-ignore lint/security/noDangerouslySetInnerHtml: as above
  return <div ref={place} className="prose" dir="auto" dangerouslySetInnerHTML={first} />;
}

/**
 * Gives a node the children of another, and leaves those in place that are equal. In a block of which only
 * the words have changed, it replaces these: a new block makes the browser restyle all others.
 */
function replaceChanged(place: Node, other: Node): void {
  const old = [...place.childNodes];
  const next = [...other.childNodes];
  const most = Math.min(old.length, next.length);
  const isSame = (a: Node | undefined, b: Node | undefined) => b !== undefined && a?.isEqualNode(b);
  let start = 0;
  while (start < most && isSame(old[start], next[start])) start += 1;
  let end = 0;
  while (end < most - start && isSame(old.at(-1 - end), next.at(-1 - end))) end += 1;
  const removed = old.slice(start, old.length - end);
  const added = next.slice(start, next.length - end);
  const after = old[old.length - end] ?? null;
  const [[block], [newBlock]] = [removed, added];
  const isOne = removed.length === 1 && added.length === 1;
  if (isOne && block && newBlock && isSame(block.cloneNode(), newBlock.cloneNode())) {
    replaceChanged(block, newBlock);
    return;
  }
  for (const node of removed) place.removeChild(node);
  for (const node of added) place.insertBefore(node, after);
}
