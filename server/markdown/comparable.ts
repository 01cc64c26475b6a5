import type { Element, ElementContent, Nodes, Root } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { visit } from 'unist-util-visit';
import { reachOf } from './links.ts';

/*
 * For the tests against the specifications: brings the HTML of an example and our HTML to a form in which they can be
 * compared. Every step is one of the systematic differences of docs/decisions/markdown-differences.md.
 */

const blocks = new Set(
  'blockquote div dd details dl dt h1 h2 h3 h4 h5 h6 hr li ol p pre section summary table tbody td th thead tr ul video'.split(
    ' ',
  ),
);

/** Parses HTML as a browser would. */
export function parseHtml(html: string): Root {
  return fromHtml(html, { fragment: true });
}

/** What the specification expects, with our systematic differences applied, as text to compare. */
export function expectedForm(html: string): string {
  const tree = parseHtml(html);
  visit(tree, 'element', (node, index, parent) => {
    if (parent === undefined || index === undefined) return;
    const level = /^h([1-6])$/.exec(node.tagName)?.[1];
    if (level !== undefined) node.tagName = `h${Math.min(Number(level) + 1, 6)}`;
    if (node.tagName === 'a' && reachOf(String(node.properties.href ?? ''), 'link') === undefined) {
      parent.children.splice(index, 1, ...node.children);
      return index;
    }
    if (node.tagName === 'a' || node.tagName === 'img') lowerScheme(node);
    return;
  });
  return written(tree);
}

/** Our HTML without what we only add: ids, anchors, names, wrappers, loading hints, colours. */
export function renderedForm(html: string): string {
  const tree = parseHtml(html);
  visit(tree, 'element', (node, index, parent) => {
    if (parent === undefined || index === undefined) return;
    const { properties } = node;
    const classes = Array.isArray(properties.className) ? properties.className : [];
    if (classes.includes('anchor')) {
      parent.children.splice(index, 1);
      return index;
    }
    if (classes.includes('table-scroll')) {
      parent.children.splice(index, 1, ...node.children);
      return index;
    }
    if (node.tagName === 'code' && classes.length > 0) {
      properties.className = classes.filter(name => name !== 'hljs');
      node.children = [{ type: 'text', value: textOf(node) }];
    }
    for (const added of ['id', 'rel', 'loading', 'decoding', 'tabIndex', 'ariaLabel'])
      delete properties[added];
    const target = /^#user-content-(.*)$/.exec(String(properties.href))?.[1];
    if (target !== undefined) properties.href = `#${target}`;
    return;
  });
  return written(tree);
}

function lowerScheme({ properties }: Element): void {
  for (const name of ['href', 'src']) {
    const address = properties[name];
    if (typeof address === 'string')
      properties[name] = address.replace(/^[a-z]+:/i, scheme => scheme.toLowerCase());
  }
}

const textOf = (node: Nodes): string => {
  if (node.type === 'text') return node.value;
  return 'children' in node ? node.children.map(textOf).join('') : '';
};

/** A tree as indented lines; white space that does not show is left out. */
function written(tree: Root): string {
  const lines: string[] = [];
  const write = (nodes: Nodes[], depth: number, isPre: boolean) => {
    const visible = isPre
      ? nodes
      : nodes.filter((node, at) => !isInsignificant(node, nodes[at - 1], nodes[at + 1]));
    for (const [at, node] of visible.entries()) {
      const indent = '  '.repeat(depth);
      if (node.type === 'text')
        lines.push(indent + JSON.stringify(isPre ? node.value : collapsed(node, visible, at)));
      if (node.type === 'comment') lines.push(`${indent}<!--${node.value}-->`);
      if (node.type !== 'element') continue;
      const attributes = Object.entries(node.properties)
        .filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0))
        .map(([key, value]) => ` ${key}=${JSON.stringify(Array.isArray(value) ? value.join(' ') : value)}`)
        .sort();
      lines.push(`${indent}<${node.tagName}${attributes.join('')}>`);
      write(node.children, depth + 1, isPre || node.tagName === 'pre');
    }
  };
  write(tree.children as ElementContent[], 0, false);
  return lines.join('\n');
}

const isBlock = (node: Nodes | undefined) =>
  node === undefined || (node.type === 'element' && (blocks.has(node.tagName) || node.tagName === 'br'));

function isInsignificant(node: Nodes, before: Nodes | undefined, after: Nodes | undefined): boolean {
  return node.type === 'text' && /^[ \t\r\n]*$/.test(node.value) && (isBlock(before) || isBlock(after));
}

function collapsed(node: { value: string }, siblings: Nodes[], at: number): string {
  let value = node.value.replace(/[ \t\r\n]+/g, ' ');
  if (isBlock(siblings[at - 1])) value = value.replace(/^ /, '');
  if (isBlock(siblings[at + 1])) value = value.replace(/ $/, '');
  return value;
}
