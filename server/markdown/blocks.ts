import type { Element, Nodes as HtmlNodes, Root } from 'hast';
import { h } from './elements.ts';
import { plainText } from './text.ts';
import { eachNode, eachPlace } from './walk.ts';

const tableNameLength = 80;

/**
 * Tables and code, which can be wider than a phone, get a scroll bar of their own and can be reached by
 * keyboard; check boxes of task lists get names.
 */
export function rehypeBlocks() {
  return (tree: Root) => {
    eachPlace(tree, (node, index, parent) => {
      if (node.type !== 'element') return undefined;
      if (node.tagName === 'pre') node.properties.tabIndex = 0;
      if (node.tagName === 'input') node.properties.ariaLabel = node.properties.checked ? 'Done' : 'Not done';
      if (node.tagName !== 'table') return undefined;
      parent.children[index] = scrollable(node);
      // The table moved into its wrapper: continue inside it, without visiting it again.
      eachNode<HtmlNodes>(node, inside => {
        if (inside.type === 'element' && inside.tagName === 'pre') inside.properties.tabIndex = 0;
      });
      return index + 1;
    });
  };
}

function scrollable(table: Element): Element {
  const head = table.children.find(child => child.type === 'element' && child.tagName === 'thead');
  const names = head ? plainText(head).slice(0, tableNameLength).trim() : '';
  const ariaLabel = names === '' ? 'Table' : `Table: ${names}`;
  return h('div', { className: ['table-scroll'], tabIndex: 0, role: 'region', ariaLabel }, table);
}
