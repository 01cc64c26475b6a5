import type { Root } from 'hast';
import { h } from './elements.ts';
import { plainText } from './text.ts';
import { eachNode } from './walk.ts';

/**
 * The levels of a document's headings below the page's h1, which is the post's title. Authors begin with `#`
 * or with `##`, and skip levels for their look; a reader who moves from heading to heading needs an outline
 * without gaps.
 */
export class Outline {
  readonly #open: { written: number; shown: number }[] = [];

  /** The level of the next heading: 2 at the top, otherwise one below its parent. */
  next(written: number): number {
    while ((this.#open.at(-1)?.written ?? 0) >= written) this.#open.pop();
    const shown = Math.min((this.#open.at(-1)?.shown ?? 1) + 1, 6);
    this.#open.push({ written, shown });
    return shown;
  }
}

/**
 * Fits headings below the title of the page, and gives each a link to itself. The link has no text, so it is
 * neither copied nor searched; styles show a sign for it to the pointer. A name of its own would be read as
 * part of the heading. Runs after rehype-slug.
 */
export function rehypeHeadings() {
  return (tree: Root) => {
    const outline = new Outline();
    eachNode(tree, node => {
      if (node.type !== 'element') return;
      const level = /^h([1-6])$/.exec(node.tagName)?.[1];
      if (level === undefined || node.properties.id === 'footnote-label') return;
      node.tagName = `h${outline.next(Number(level))}`;
      if (plainText(node) === '') {
        delete node.properties.id;
        return;
      }
      const href = `#${node.properties.id}`;
      node.children.push(h('a', { className: ['anchor'], href, ariaHidden: 'true', tabIndex: -1 }));
    });
  };
}
