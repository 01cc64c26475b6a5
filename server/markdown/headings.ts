import type { Root } from 'hast';
import { visit } from 'unist-util-visit';
import { plainText } from './text.ts';

/**
 * Moves headings one level down, because the page shows the post's title as its h1, and gives each a link to itself.
 * The link has no text, so it is neither copied nor searched; styles show a sign for it. Runs after rehype-slug.
 */
export function rehypeHeadings() {
  return (tree: Root) => {
    visit(tree, 'element', node => {
      const level = /^h([1-6])$/.exec(node.tagName)?.[1];
      if (level === undefined || node.properties.id === 'footnote-label') return;
      node.tagName = `h${Math.min(Number(level) + 1, 6)}`;
      const name = plainText(node);
      if (name === '') {
        delete node.properties.id;
        return;
      }
      node.children.push({
        type: 'element',
        tagName: 'a',
        properties: { className: ['anchor'], href: `#${node.properties.id}`, ariaLabel: `Link to “${name}”` },
        children: [],
      });
    });
  };
}
