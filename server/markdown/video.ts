import type { Element, ElementContent, Root } from 'hast';
import { SKIP, visit } from 'unist-util-visit';
import { plainText } from './text.ts';

const label = /^\s*Video:/;

/**
 * The specification's video rules ("/post/{postId}", "Media inserter"): a link to an .mp4 whose label starts with
 * `Video:` is a player, an image whose alternative text starts with `Video:` is not shown. A player or hidden image that
 * was alone in its paragraph takes the paragraph away.
 */
export function rehypeVideo() {
  return (tree: Root) => {
    visit(tree, 'element', (node, index, parent) => {
      if (parent === undefined || index === undefined) return;
      if (node.tagName === 'img' && label.test(String(node.properties.alt))) {
        parent.children.splice(index, 1);
        return index;
      }
      if (node.tagName !== 'a' || !isVideoLink(node)) return;
      parent.children[index] = playerOf(node);
      return SKIP;
    });
    visit(tree, 'element', (node, index, parent) => {
      if (parent === undefined || index === undefined) return;
      const wasMedia = node.tagName === 'p' || node.tagName === 'a';
      if (!wasMedia || node.children.some(child => !isPlayerOrSpace(child))) return;
      if (node.tagName === 'a' && node.properties.id !== undefined) return;
      parent.children.splice(index, 1, ...node.children.filter(child => child.type === 'element'));
      return index;
    });
  };
}

function isVideoLink(node: Element): boolean {
  const path = URL.parse(String(node.properties.href ?? ''), 'https://this.invalid')?.pathname ?? '';
  return /\.mp4$/i.test(path) && label.test(plainText(node));
}

function playerOf(link: Element): Element {
  const src = String(link.properties.href);
  const name = plainText(link).replace(label, '').trim() || 'Video';
  const fallback: ElementContent = {
    type: 'element',
    tagName: 'a',
    properties: link.properties,
    children: [{ type: 'text', value: `Download the video ${name}` }],
  };
  const properties = { src, controls: true, preload: 'metadata', ariaLabel: name };
  return { type: 'element', tagName: 'video', properties, children: [fallback] };
}

function isPlayerOrSpace(node: ElementContent): boolean {
  if (node.type === 'element') return node.tagName === 'video' || node.tagName === 'br';
  return node.type === 'text' && node.value.trim() === '';
}
