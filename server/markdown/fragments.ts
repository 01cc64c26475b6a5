import type { Root } from 'hast';
import type { VFile } from 'vfile';
import { eachNode } from './walk.ts';

/** The sanitiser's prefix for every id, so that content cannot take the place of a page's own names. */
export const clobberPrefix = 'user-content-';

declare module 'vfile' {
  interface DataMap {
    /** Distinguishes the ids of several posts on one page. */
    idPrefix: string;
  }
}

/**
 * Makes ids unique in the document, prefixes them for the post, and points `#fragment` links to the ids as
 * the sanitiser will rename them. Other parts of the page cannot be linked to by fragment.
 */
export function rehypeFragments() {
  return (tree: Root, file: VFile) => {
    const prefix = file.data.idPrefix ?? '';
    const seen = new Set<string>();
    eachNode(tree, node => {
      if (node.type !== 'element') return;
      const { properties } = node;
      const { id, href, ariaDescribedBy } = properties;
      if (id !== undefined) {
        if (id === '' || seen.has(String(id))) delete properties.id;
        else properties.id = prefix + id;
        seen.add(String(id));
      }
      if (Array.isArray(ariaDescribedBy))
        properties.ariaDescribedBy = ariaDescribedBy.map(one => prefix + one);
      if (typeof href === 'string' && href.length > 1 && href.startsWith('#')) {
        properties.href = `#${clobberPrefix}${prefix}${href.slice(1)}`;
      }
    });
  };
}
