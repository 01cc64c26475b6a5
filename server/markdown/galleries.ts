import type { Element, ElementContent, Root } from 'hast';
import { beyondPreview, gallerySizes, previewPictures } from '../../contract/files.ts';
import { h, text } from './elements.ts';
import { eachPlace } from './walk.ts';

/**
 * Pictures in one paragraph, separated only by spaces and line breaks, become a grid; the title of each is
 * its caption (decisions.md 45). A single picture with a title gets its caption, too. Other programs show the
 * same Markdown as pictures one below the other.
 */
export function rehypeGalleries() {
  return (tree: Root) => {
    eachPlace(tree, (node, index, parent) => {
      if (node.type !== 'element' || node.tagName !== 'p') return undefined;
      const pictures = picturesOf(node);
      const [first] = pictures;
      if (first === undefined) return undefined;
      if (pictures.length === 1) {
        if (captionOf(first) === '') return undefined;
        parent.children[index] = figureOf(first);
        return index + 1;
      }
      for (const picture of pictures) picture.properties.sizes = gallerySizes;
      const figures = pictures.map(figureOf);
      const rest = beyondPreview(figures.length);
      const last = figures[previewPictures - 1];
      if (last !== undefined && rest > 0) last.properties.dataMore = rest;
      parent.children[index] = h('div', { className: ['gallery'] }, ...figures);
      return index + 1;
    });
  };
}

/** The pictures of a paragraph without other content. A linked picture does not count: badges are linked. */
function picturesOf({ children }: Element): Element[] {
  const shown = children.filter(child => !isSpace(child));
  return shown.every(isPicture) ? shown : [];
}

const isPicture = (node: ElementContent): node is Element =>
  node.type === 'element' && node.tagName === 'img';

function isSpace(node: ElementContent): boolean {
  if (node.type === 'text') return node.value.trim() === '';
  return node.type === 'comment' || (node.type === 'element' && node.tagName === 'br');
}

const captionOf = ({ properties }: Element) => String(properties.title ?? '').trim();

function figureOf(picture: Element): Element {
  const caption = captionOf(picture);
  // Otherwise the same words would be shown twice.
  delete picture.properties.title;
  return h('figure', {}, picture, ...(caption === '' ? [] : [h('figcaption', {}, text(caption))]));
}
