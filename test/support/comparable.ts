import type { Element, ElementContent, Nodes, Root } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { visit } from 'unist-util-visit';
import { Outline } from '../../server/markdown/headings.ts';
import { reachOf } from '../../server/markdown/links.ts';
import { schema } from '../../server/markdown/schema.ts';

/*
 * For the tests against the specifications: brings the HTML of an example and our HTML to a form in which they can be
 * compared. Every step is one of the systematic differences of docs/decisions/markdown-differences.md.
 */

const blocks = new Set(
  'blockquote div dd details dl dt h1 h2 h3 h4 h5 h6 hr li ol p pre section summary table tbody td th thead tr ul video'.split(
    ' ',
  ),
);

/** What a raw script, style or the like loses with its tags, and the attributes that raw HTML keeps. */
const unreadable = new Set(['script', 'style', 'textarea']);
const kept = new Set(
  'align alt ariaDescribedBy checked className dataFootnoteBackref dataFootnoteRef dataFootnotes disabled href open src start title type'.split(
    ' ',
  ),
);

const classed = new Set(['a', 'code', 'h1', 'li', 'ol', 'section', 'ul']);

/** Parses HTML as a browser would. */
export function parseHtml(html: string): Root {
  return fromHtml(html, { fragment: true });
}

/** What the specification expects, with our systematic differences applied, as text to compare. */
export function expectedForm(html: string): string {
  const tree = parseHtml(html);
  visit(tree, 'comment', (_, index, parent) => {
    parent?.children.splice(index ?? 0, 1);
    return index;
  });
  const outline = new Outline();
  visit(tree, 'element', (node, index, parent) => {
    if (parent === undefined || index === undefined) return;
    if (unreadable.has(node.tagName)) {
      parent.children.splice(index, 1);
      return index;
    }
    if (!schema.tagNames?.includes(node.tagName)) {
      parent.children.splice(index, 1, ...node.children);
      return index;
    }
    if (!classed.has(node.tagName)) delete node.properties.className;
    for (const name of Object.keys(node.properties)) if (!kept.has(name)) delete node.properties[name];
    if (node.tagName === 'img') node.properties.alt ??= '';
    const level = /^h([1-6])$/.exec(node.tagName)?.[1];
    if (level !== undefined) node.tagName = `h${outline.next(Number(level))}`;
    if (node.tagName === 'a' && reachOf(String(node.properties.href ?? ''), 'link') === undefined) {
      parent.children.splice(index, 1, ...node.children);
      return index;
    }
    if (node.tagName === 'a' || node.tagName === 'img') lowerScheme(node);
    return;
  });
  wrapBareText(tree);
  visit(tree, 'element', node => {
    if (node.tagName === 'blockquote') wrapBareText(node);
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
      node.children = textOf(node) === '' ? [] : [{ type: 'text', value: textOf(node) }];
    }
    for (const added of ['id', 'rel', 'loading', 'decoding', 'tabIndex', 'ariaLabel'])
      delete properties[added];
    const target = /^#user-content-(.*)$/.exec(String(properties.href))?.[1];
    if (target !== undefined) properties.href = `#${target}`;
    return;
  });
  return written(tree);
}

/** Text that raw HTML leaves outside of paragraphs stands in one. */
function wrapBareText(parent: Root | Element): void {
  const children: ElementContent[] = [];
  let paragraph: Element | undefined;
  for (const node of parent.children as ElementContent[]) {
    if (isBlock(node)) paragraph = undefined;
    else if (paragraph === undefined && (node.type !== 'text' || node.value.trim() !== '')) {
      paragraph = { type: 'element', tagName: 'p', properties: {}, children: [] };
      children.push(paragraph);
    }
    (paragraph?.children ?? children).push(node);
  }
  parent.children = children;
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
  mergeText(tree);
  const write = (nodes: Nodes[], depth: number, isPre: boolean) => {
    const visible = isPre
      ? nodes
      : nodes.filter((node, at) => !isInsignificant(node, nodes[at - 1], nodes[at + 1]));
    for (const [at, node] of visible.entries()) {
      const indent = '  '.repeat(depth);
      if (node.type === 'text')
        lines.push(indent + JSON.stringify(isPre ? node.value : collapsed(node, visible, at)));
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

function mergeText(tree: Root): void {
  visit(tree, node => {
    if (!('children' in node)) return;
    const merged: Nodes[] = [];
    for (const child of node.children) {
      const before = merged.at(-1);
      if (child.type === 'text' && before?.type === 'text') before.value += child.value;
      else merged.push(child);
    }
    node.children = merged as ElementContent[];
  });
}

const isBlock = (node: Nodes): boolean =>
  node.type === 'element' && (blocks.has(node.tagName) || node.children.some(isBlock));

const isEdge = (node: Nodes | undefined) =>
  node === undefined || isBlock(node) || (node.type === 'element' && node.tagName === 'br');

function isInsignificant(node: Nodes, before: Nodes | undefined, after: Nodes | undefined): boolean {
  return node.type === 'text' && /^[ \t\r\n]*$/.test(node.value) && (isEdge(before) || isEdge(after));
}

function collapsed(node: { value: string }, siblings: Nodes[], at: number): string {
  let value = node.value.replace(/[ \t\r\n]+/g, ' ');
  if (isEdge(siblings[at - 1])) value = value.replace(/^ /, '');
  if (isEdge(siblings[at + 1])) value = value.replace(/ $/, '');
  return value;
}
