import type { Element, Nodes } from 'hast';
import { inlineTags } from './schema.ts';

/** Elements that do not separate words from their neighbours; a line break does. */
const inline = new Set(['span', ...inlineTags.filter(name => name !== 'br')]);

/** What stands before the name of a player; one without a name is called by it. */
export const playerLabels = { video: 'Video', audio: 'Audio' } as const;
type Player = Element & { tagName: keyof typeof playerLabels };

export const isPlayer = (node: Element): node is Player => Object.hasOwn(playerLabels, node.tagName);

/** How a player is named in words. */
export function playerText({ tagName, properties: { ariaLabel } }: Player): string {
  const label = playerLabels[tagName];
  return ariaLabel === label ? label : `${label}: ${ariaLabel}`;
}

/**
 * The text of a tree as a reader would say it, with white space collapsed: words of separate blocks stay
 * apart, images are read by their alternative text, players by their label, and controls (anchors, footnote
 * numbers, the title of the footnotes, check boxes) are left out.
 */
export function plainText(node: Nodes): string {
  const parts: string[] = [];
  collect(node, parts);
  return parts.join('').replace(/\s+/g, ' ').trim();
}

function collect(node: Nodes, parts: string[]): void {
  if (node.type === 'text') parts.push(node.value);
  if (node.type === 'root') for (const child of node.children) collect(child, parts);
  if (node.type !== 'element') return;
  const { tagName, properties, children } = node;
  if (isSteering(properties)) return;
  if (tagName === 'img') parts.push(` ${properties.alt ?? ''} `);
  else if (isPlayer(node)) parts.push(` ${playerText(node)} `);
  else {
    const gap = inline.has(tagName) ? '' : ' ';
    parts.push(gap);
    for (const child of children) collect(child, parts);
    parts.push(gap);
  }
}

function isSteering({ className, dataFootnoteRef, dataFootnoteBackref }: Record<string, unknown>): boolean {
  if (dataFootnoteRef !== undefined || dataFootnoteBackref !== undefined) return true;
  return Array.isArray(className) && (className.includes('anchor') || className.includes('sr-only'));
}
