import type { Element, ElementContent, Nodes, Root, RootContent } from 'hast';

type Parent = Root | Element;

/** Elements that are invisible, or belong to a program. */
const dropped = new Set([
  'script',
  'style',
  'meta',
  'link',
  'title',
  'head',
  'xml',
  'o:p',
  'noscript',
  'template',
]);

export const styleOf = ({ properties }: Element): string => String(properties.style ?? '').toLowerCase();

const element = (tagName: string, children: ElementContent[]): Element => ({
  ...{ type: 'element', tagName, properties: {}, children },
});

/**
 * Turns the clipboard HTML of office programs and pages into plain HTML: emphasis in styles becomes elements,
 * wrappers and leftovers are removed.
 */
export function cleanHtml(parent: Parent, isInHeading = false): void {
  const children: RootContent[] = [];
  for (const node of parent.children) {
    if (node.type === 'text') children.push(node);
    if (node.type !== 'element' || dropped.has(node.tagName) || isHidden(node)) continue;
    const isHeading = isInHeading || /^h[1-6]$/.test(node.tagName);
    cleanHtml(node, isHeading);
    children.push(...changed(node, isHeading));
  }
  parent.children = withoutEmptyLines(children as ElementContent[]);
}

/** Google Docs separates blocks by line breaks, which would become empty lines. */
function withoutEmptyLines(children: ElementContent[]): ElementContent[] {
  if (!children.some(isBlock)) return children;
  const isSpace = (node: ElementContent) => node.type === 'text' && node.value.trim() === '';
  return children.filter((node, index) => {
    if (node.type !== 'element' || node.tagName !== 'br') return true;
    const before = children.slice(0, index).findLast(other => !isSpace(other));
    const after = children.slice(index + 1).find(other => !isSpace(other));
    return [before, after].every(other => other !== undefined && !isBlock(other));
  });
}

/** Word writes the bullets of its lists as words, and hides data for itself. */
function isHidden(node: Element): boolean {
  const style = styleOf(node);
  return /(?:^|;)\s*display\s*:\s*none|mso-hide\s*:\s*all/.test(style);
}

function changed(node: Element, isInHeading: boolean): ElementContent[] {
  const style = styleOf(node);
  // Not Word's style for other scripts: mso-bidi-font-weight.
  const isBold = /(?<!-)font-weight\s*:\s*(?:bold|[6-9]00)/.test(style);
  const isPlainWeight = /(?<!-)font-weight\s*:\s*(?:normal|[1-4]00)/.test(style);
  switch (node.tagName) {
    case 'b':
    case 'strong':
      // Google Docs wraps a whole text in an element that is not bold.
      return isPlainWeight || isInHeading ? node.children : marked(node.children, 'strong');
    case 'i':
    case 'em':
      return /(?<!-)font-style\s*:\s*normal/.test(style) ? node.children : marked(node.children, 'em');
    case 'span':
    case 'font': {
      let children = node.children;
      if (/text-decoration[^;]*:[^;]*line-through/.test(style)) children = marked(children, 'del');
      if (/(?<!-)font-style\s*:\s*italic/.test(style)) children = marked(children, 'em');
      if (isBold && !isInHeading) children = marked(children, 'strong');
      return children;
    }
    case 'a':
      return linkOf(node);
    case 'p':
    case 'div':
      // An empty line.
      return node.children.some(hasWords) ? [node] : [];
    case 'li':
      return [{ ...node, children: withoutParagraph(node.children) }];
    case 'ul':
    case 'ol':
      return [{ ...node, children: withListsInItems(node.children) }];
    case 'table':
      return [withHead(node)];
    case 'img':
      return [checkboxOf(node) ?? node];
    default:
      return [node];
  }
}

/** Words in an element that marks them, without the spaces around them; nothing for spaces only. */
function marked(children: ElementContent[], tagName: string): ElementContent[] {
  if (children.some(isBlock) || !children.some(hasWords)) return children;
  const inner = [...children];
  const before = spaceOf(inner, 0, /^\s+/);
  const after = spaceOf(inner, inner.length - 1, /\s+$/);
  return [...before, element(tagName, inner), ...after];
}

function spaceOf(nodes: ElementContent[], index: number, space: RegExp): ElementContent[] {
  const node = nodes[index];
  if (node?.type !== 'text' || !space.test(node.value)) return [];
  nodes[index] = { ...node, value: node.value.replace(space, '') };
  return [{ type: 'text', value: ' ' }];
}

/** The content of a list item that Google Docs puts into a paragraph, which would make the list loose. */
function withoutParagraph(children: ElementContent[]): ElementContent[] {
  const isParagraph = (node: ElementContent) => node.type === 'element' && node.tagName === 'p';
  if (children.filter(isParagraph).length !== 1) return children;
  return children.flatMap(node => (isParagraph(node) && node.type === 'element' ? node.children : [node]));
}

/** Google Docs puts a list into a list instead of into its item. */
function withListsInItems(children: ElementContent[]): ElementContent[] {
  const items: ElementContent[] = [];
  for (const node of children) {
    const isList = node.type === 'element' && (node.tagName === 'ul' || node.tagName === 'ol');
    const above = items.findLast(item => item.type === 'element');
    if (isList && above?.type === 'element') above.children.push(node);
    else items.push(node);
  }
  return items;
}

/** A Markdown table needs a head: a table without one gets its first row, not an empty one. */
function withHead(table: Element): Element {
  const rows = elementsIn(table, 'tr');
  if (rows.some(row => elementsIn(row, 'th').length > 0)) return table;
  for (const cell of elementsIn(rows[0], 'td')) cell.tagName = 'th';
  return table;
}

function elementsIn(parent: Element | undefined, tagName: string): Element[] {
  return (parent?.children ?? []).flatMap(node => {
    if (node.type !== 'element' || node.tagName === 'table') return [];
    return node.tagName === tagName ? [node] : elementsIn(node, tagName);
  });
}

/** Google Docs shows the check boxes of a task list as pictures. */
function checkboxOf({ properties }: Element): Element | undefined {
  if (String(properties.ariaRoleDescription) !== 'checkbox') return undefined;
  return {
    ...element('input', []),
    properties: { type: 'checkbox', checked: properties.alt === 'checked' },
  };
}

const blocks = new Set(
  'p div ul ol li table blockquote pre h1 h2 h3 h4 h5 h6 hr section article header footer'.split(' '),
);

const isBlock = (node: RootContent) => node.type === 'element' && blocks.has(node.tagName);

function hasWords(node: Nodes): boolean {
  if (node.type === 'text') return node.value.trim() !== '';
  return node.type === 'element' && (node.tagName === 'img' || node.children.some(hasWords));
}

/** A link to its real target, without Google's redirect; none without a target. */
function linkOf(node: Element): ElementContent[] {
  const url = URL.parse(String(node.properties.href ?? ''));
  if (url === null || !/^(?:https?|mailto|tel):$/.test(url.protocol) || !node.children.some(hasWords))
    return node.children;
  const isRedirect = /^(?:www\.)?google\.[a-z.]+$/.test(url.hostname) && url.pathname === '/url';
  const href = (isRedirect && (url.searchParams.get('q') ?? url.searchParams.get('url'))) || url.href;
  return [{ ...node, properties: { href } }];
}
