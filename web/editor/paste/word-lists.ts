import type { Element, ElementContent, Root } from 'hast';
import { styleOf } from './clean.ts';

type Item = { level: number; isOrdered: boolean; children: ElementContent[] };
type List = { element: Element; level: number };

const element = (tagName: string, children: ElementContent[]): Element => ({
  ...{ type: 'element', tagName, properties: {}, children },
});

/** Makes lists of the paragraphs by which Word writes them: their styles say how deep each one is. */
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
  const level = /mso-list\s*:\s*\S+\s+level(\d)/.exec(styleOf(node))?.[1];
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
  return { level: Number(level), isOrdered: /^\s*[\dA-Za-z]{1,4}[.)]/.test(mark), children };
}

function put(open: List[], { level, isOrdered, children }: Item, add: (list: Element) => void): List[] {
  const kept = open.filter(list => list.level <= level);
  const last = kept.at(-1);
  const item = element('li', children);
  if (last?.level === level) {
    last.element.children.push(item);
    return kept;
  }
  const list = { level, element: element(isOrdered ? 'ol' : 'ul', [item]) };
  const above = last?.element.children.at(-1);
  if (above?.type === 'element') above.children.push(list.element);
  else add(list.element);
  return [...kept, list];
}

const wordsOf = (node: ElementContent): string =>
  node.type === 'text' ? node.value : node.type === 'element' ? node.children.map(wordsOf).join('') : '';
