import type { Root } from 'hast';
import { visit } from 'unist-util-visit';

/** Characters of code that are highlighted, in one block and in one text; the rest stays plain. */
const highlightedPerBlock = 20_000;
const highlightedPerText = 200_000;

/** Marks code that would take long to highlight as plain. Runs before rehype-highlight, on sanitised code. */
export function rehypePlainCode() {
  return (tree: Root) => {
    let left = highlightedPerText;
    visit(tree, 'element', node => {
      if (node.tagName !== 'code' || !Array.isArray(node.properties.className)) return;
      const length = node.children.reduce(
        (sum, child) => sum + (child.type === 'text' ? child.value.length : 0),
        0,
      );
      left -= length;
      if (length > highlightedPerBlock || left < 0) node.properties.className.push('no-highlight');
    });
  };
}
