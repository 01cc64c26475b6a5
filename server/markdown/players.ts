import type { Element, ElementContent, Nodes, Parents, Root } from 'hast';
import { SKIP, visitParents } from 'unist-util-visit-parents';
import { isCameraName } from '../../contract/camera-name.ts';
import { h, text } from './elements.ts';
import { isPlayer, plainText, playerLabels, playerText } from './text.ts';
import { eachPlace } from './walk.ts';

const hiddenLabel = /^\s*Video:/;

/** Whether an image with this alternative text is hidden. */
export const isHiddenLabel = (alt: string) => hiddenLabel.test(alt);

type Kind = { tagName: 'video' | 'audio'; thing: string; files: RegExp };
const kinds: readonly Kind[] = [
  { tagName: 'video', thing: 'video', files: /\.(?:mp4|webm|mov|m4v|mkv|3gp|ogv)$/i },
  {
    tagName: 'audio',
    thing: 'sound',
    files: /\.(?:mp3|m4a|aac|og[ag]|opus|wav|flac|aiff?|caf|amr|weba)$/i,
  },
];

/** Whether the name at the end of an address is that of a video or a sound. */
export const isPlayedAt = (address: string) => kindAt(address) !== undefined;

function kindAt(address: string): Kind | undefined {
  const path = URL.parse(address, 'https://this.invalid')?.pathname ?? '';
  return kinds.find(({ files }) => files.test(path));
}

const isOwn = (address: string) => address.startsWith('/files/');

/**
 * The specification's video rules ("/post/{postId}", "Media inserter"): a link to an .mp4 whose label starts
 * with `Video:` becomes a player, and so does one to a video of another type, because the inserter writes
 * such a link for every video, and the server prepares each to play in browsers. So does a link to one of the
 * site's own sounds whose label starts with `Audio:`, as imports write it, and an image whose address is one
 * of the site's own videos or sounds. An image whose alternative text starts with `Video:` is hidden. A
 * paragraph with only a player or a hidden image is replaced or removed.
 */
export function rehypePlayers() {
  return (tree: Root) => {
    const changed = new Set<Parents>();
    visitParents(tree, 'element', (node, ancestors) => {
      const siblings = ancestors.at(-1)?.children as ElementContent[] | undefined;
      if (siblings === undefined) return;
      const isHidden = node.tagName === 'img' && isHiddenLabel(String(node.properties.alt));
      const player = isHidden ? undefined : playerFor(node, ancestors);
      if (!isHidden && player === undefined) return;
      const index = siblings.indexOf(node);
      siblings.splice(index, 1, ...(player === undefined ? [] : [player]));
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
    return isPlayer(child) ? [child] : playersIn(child);
  });
}

function playerFor(node: Element, ancestors: readonly Parents[]): Element | undefined {
  const { tagName, properties } = node;
  if (tagName === 'img') {
    const src = String(properties.src);
    // A player within a link would be neither.
    const isLinked = ancestors.some(above => above.type === 'element' && above.tagName === 'a');
    const kind = isOwn(src) && !isLinked ? kindAt(src) : undefined;
    const { title } = properties;
    return kind && playerOf(node, kind, { src, written: String(properties.alt), title });
  }
  if (tagName !== 'a') return undefined;
  const src = String(properties.href ?? '');
  const kind = kindAt(src);
  if (kind === undefined || (kind.tagName === 'audio' && !isOwn(src))) return undefined;
  const [label, written] = [`${playerLabels[kind.tagName]}:`, plainText(node)];
  if (!written.startsWith(label)) return undefined;
  return playerOf(node, kind, { ...properties, src, written: written.slice(label.length).trim() });
}

type Written = Element['properties'] & { src: string; written: string };

function playerOf(
  { position }: Element,
  { tagName, thing }: Kind,
  { src, written, ...link }: Written,
): Element {
  const name = [written, src.split(/[?#]/)[0]?.split('/').at(-1) ?? src].find(
    part => part !== '' && !isCameraName(part),
  );
  const fallback = h(
    'a',
    { href: src, ...link },
    text(name === undefined ? `Download the ${thing}` : `Download the ${thing} ${name}`),
  );
  const player = h(
    tagName,
    { src, controls: true, preload: 'metadata', ariaLabel: name ?? playerLabels[tagName] },
    fallback,
  );
  return { ...player, ...(position && { position }) };
}

/** Adds a line after each player, which is visible only in print (web/styles/print.css). */
export function addPrintedNames(tree: Root): void {
  eachPlace(tree, (node, index, parent) => {
    if (node.type !== 'element' || !isPlayer(node)) return undefined;
    const line = h('span', { className: ['printed'], hidden: true }, text(playerText(node)));
    parent.children.splice(index + 1, 0, line);
    return index + 2;
  });
}

function isPlayerOrSpace(node: ElementContent): boolean {
  if (node.type === 'element') return isPlayer(node) || node.tagName === 'br';
  return node.type === 'text' && node.value.trim() === '';
}
