import type { Element, ElementContent, Root } from 'hast';
import { styleOf } from './clean.ts';

type Item = { level: number; tagName: 'ol' | 'ul'; start: number; name: string; children: ElementContent[] };
type List = Pick<Item, 'level' | 'tagName' | 'name'> & { element: Element };

const element = (tagName: string, children: ElementContent[]): Element => ({
  ...{ type: 'element', tagName, properties: {}, children },
});

/** Makes lists of Word's list paragraphs, whose styles have the depth. */
export function wordLists(parent: Root | Element): void {
  const children: (Root['children'][number] | ElementContent)[] = [];
  let open: List[] = [];
  for (const node of parent.children) {
    const item = node.type === 'element' ? itemOf(node) : undefined;
    if (item !== undefined) {
      open = put(open, item, list => children.push(list));
      continue;
    }
    const isSpace = (node.type === 'text' && node.value.trim() === '') || node.type === 'comment';
    if (isSpace && open.length > 0) continue;
    open = [];
    if (node.type === 'element') wordLists(node);
    children.push(node);
  }
  parent.children = children as ElementContent[];
}

function itemOf(node: Element): Item | undefined {
  const [, list = '', level, format = ''] =
    /mso-list\s*:\s*(\S+)\s+level(\d)(\s+\w+)?/.exec(styleOf(node)) ?? [];
  if (node.tagName !== 'p' || level === undefined) return undefined;
  let mark = '';
  const withoutMark = (children: ElementContent[]): ElementContent[] =>
    children.flatMap((child): ElementContent[] => {
      if (child.type !== 'element') return [child];
      if (/mso-list\s*:\s*ignore/.test(styleOf(child))) {
        mark += wordsOf(child);
        return [];
      }
      return [{ ...child, children: withoutMark(child.children) }];
    });
  const children = withoutMark(node.children);
  return {
    level: Number(level),
    tagName: /^\s*[\dA-Za-z]{1,4}[.)]/.test(mark) ? 'ol' : 'ul',
    start: Number.parseInt(mark, 10) || 1,
    name: list + format,
    children,
  };
}

function put(open: List[], item: Item, add: (list: Element) => void): List[] {
  const { level, tagName, start, name, children } = item;
  // Another list of the same depth follows this one.
  const isSame = (list: List) => list.level < level || (list.tagName === tagName && list.name === name);
  const kept = open.filter(list => list.level <= level && isSame(list));
  const last = kept.at(-1);
  const row = element('li', children);
  if (last?.level === level) {
    last.element.children.push(row);
    return kept;
  }
  const begun = element(tagName, [row]);
  if (start > 1) begun.properties.start = start;
  const list = { level, tagName, name, element: begun };
  const above = last?.element.children.at(-1);
  if (above?.type === 'element') above.children.push(list.element);
  else add(list.element);
  return [...kept, list];
}

const wordsOf = (node: ElementContent): string =>
  node.type === 'text' ? node.value : node.type === 'element' ? node.children.map(wordsOf).join('') : '';
