import type { Element, ElementContent, Nodes, Parents, Root } from 'hast';
import { SKIP, visitParents } from 'unist-util-visit-parents';
import { isCameraName } from '../../contract/camera-name.ts';
import { h, text } from './elements.ts';
import { plainText } from './text.ts';
import { eachPlace } from './walk.ts';

const label = /^\s*Video:/;

/** Whether an image with this alternative text is hidden. */
export const isHiddenLabel = (alt: string) => label.test(alt);

/**
 * The specification's video rules ("/post/{postId}", "Media inserter"): a link to an .mp4 whose label starts
 * with `Video:` becomes a player, and so does one to a video of another type, because the inserter writes
 * such a link for every video, and the server prepares each to play in browsers. An image whose alternative
 * text starts with `Video:` is hidden. A paragraph with only a player or a hidden image is replaced or
 * removed.
 */
export function rehypeVideo() {
  return (tree: Root) => {
    const changed = new Set<Parents>();
    visitParents(tree, 'element', (node, ancestors) => {
      const siblings = ancestors.at(-1)?.children as ElementContent[] | undefined;
      if (siblings === undefined) return;
      const isHidden = node.tagName === 'img' && isHiddenLabel(String(node.properties.alt));
      if (!isHidden && !(node.tagName === 'a' && isVideoLink(node))) return;
      const index = siblings.indexOf(node);
      siblings.splice(index, 1, ...(isHidden ? [] : [playerOf(node)]));
      for (const ancestor of ancestors) changed.add(ancestor);
      return isHidden ? index : [SKIP, index + 1];
    });
    for (const parent of changed) {
      const children: ElementContent[] = [];
      for (const child of parent.children as ElementContent[]) {
        if (isVacated(child, changed)) children.push(...playersIn(child));
        else children.push(child);
      }
      parent.children = children;
    }
  };
}

/** Whether a paragraph, or a link around a hidden image, now contains only players. */
function isVacated(node: Nodes, changed: Set<Parents>): node is Element {
  if (node.type !== 'element' || !changed.has(node) || !['p', 'a'].includes(node.tagName)) return false;
  return node.children.every(child => isPlayerOrSpace(child) || isVacated(child, changed));
}

function playersIn(node: Element): Element[] {
  return node.children.flatMap(child => {
    if (child.type !== 'element') return [];
    return child.tagName === 'video' ? [child] : playersIn(child);
  });
}

function isVideoLink(node: Element): boolean {
  const path = URL.parse(String(node.properties.href ?? ''), 'https://this.invalid')?.pathname ?? '';
  return /\.(?:mp4|webm|mov|m4v|mkv|3gp|ogv)$/i.test(path) && label.test(plainText(node));
}

function playerOf(link: Element): Element {
  const src = String(link.properties.href);
  const written = plainText(link).replace(label, '').trim();
  const name = [written, src.split(/[?#]/)[0]?.split('/').at(-1) ?? src].find(
    part => part !== '' && !isCameraName(part),
  );
  const fallback = h(
    'a',
    link.properties,
    text(name === undefined ? 'Download the video' : `Download the video ${name}`),
  );
  const player = h(
    'video',
    { src, controls: true, preload: 'metadata', ariaLabel: name ?? 'Video' },
    fallback,
  );
  return { ...player, ...(link.position && { position: link.position }) };
}

/** Adds a line after each video, which is visible only in print (web/styles/print.css). */
export function addPrintedNames(tree: Root): void {
  eachPlace(tree, (node, index, parent) => {
    if (node.type !== 'element' || node.tagName !== 'video') return undefined;
    const name = String(node.properties.ariaLabel);
    const line = h(
      'span',
      { className: ['printed'], hidden: true },
      text(name === 'Video' ? name : `Video: ${name}`),
    );
    parent.children.splice(index + 1, 0, line);
    return index + 2;
  });
}

function isPlayerOrSpace(node: ElementContent): boolean {
  if (node.type === 'element') return node.tagName === 'video' || node.tagName === 'br';
  return node.type === 'text' && node.value.trim() === '';
}
