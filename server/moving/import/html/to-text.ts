import type { Nodes } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { inBounds } from '../../../markdown/bounds.ts';

const blocks = new Set('blockquote div h1 h2 h3 h4 h5 h6 li ol p pre table tr ul'.split(' '));

/**
 * The plain text of a piece of HTML, for a comment: line breaks and paragraphs stay, and a link is followed
 * by its address.
 */
export function htmlToText(html: string): string {
  const text = inBounds(html, () => textOf(fromHtml(html, { fragment: true })));
  return (
    text
      // From the first space of a run: otherwise a run of a million would be read from each of them to its
      // end.
      .replaceAll(/(?<![ \t])[ \t]+\n/g, '\n')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim()
  );
}

function textOf(node: Nodes): string {
  if (node.type === 'text') return node.value;
  if (!('children' in node)) return '';
  const inside = node.children.map(textOf).join('');
  if (node.type !== 'element') return inside;
  if (node.tagName === 'br') return '\n';
  if (/^(?:script|style|template)$/.test(node.tagName)) return '';
  if (node.tagName === 'a') return linkText(inside, String(node.properties.href ?? ''));
  return blocks.has(node.tagName) ? `\n\n${inside.trim()}\n\n` : inside;
}

function linkText(words: string, address: string): string {
  const isSaid =
    words.trim() === '' || words.includes(address.replace(/^https?:\/\//, '').replace(/\/$/, ''));
  if (!/^https?:/i.test(address)) return words;
  return isSaid ? words.trim() || address : `${words} (${address})`;
}
