import type { Element, ElementContent, Parents, Root } from 'hast';
import { isCameraName } from '../../contract/camera-name.ts';
import { beyondPreview, gallerySizes, previewPictures } from '../../contract/files.ts';
import { h, text } from './elements.ts';
import { inlineTags } from './schema.ts';
import { isPlayer } from './text.ts';
import { eachPlace } from './walk.ts';

/**
 * Pictures in one paragraph, separated only by spaces and line breaks, become a grid; the title of each is
 * its caption (decision 45). A single picture with a title gets its caption, too, and so does a video or
 * sound that is no part of a sentence. Other programs show the same Markdown one below the other.
 */
export function rehypeGalleries() {
  return (tree: Root) => {
    eachPlace(tree, (node, index, parent) => {
      if (node.type !== 'element') return undefined;
      if (isPlayer(node)) {
        if (captionOf(node) !== '' && !isPhrasing(parent)) parent.children[index] = figureOf(node);
        return index + 1;
      }
      const media = node.tagName === 'p' ? mediaOf(node) : [];
      const [first] = media;
      if (first === undefined || (media.length === 1 && captionOf(first) === '')) return undefined;
      const blocks = blocksOf(media);
      parent.children.splice(index, 1, ...blocks);
      return index + blocks.length;
    });
  };
}

/** Pictures that follow each other as a grid, videos and sounds each by itself. */
function blocksOf(media: readonly Element[]): Element[] {
  const blocks: Element[] = [];
  let pictures: Element[] = [];
  const endGrid = () => {
    if (pictures.length > 1) blocks.push(gridOf(pictures));
    else blocks.push(...pictures.map(figureOf));
    pictures = [];
  };
  for (const medium of media) {
    if (medium.tagName === 'img') {
      pictures.push(medium);
      continue;
    }
    endGrid();
    blocks.push(captionOf(medium) === '' ? medium : figureOf(medium));
  }
  endGrid();
  return blocks;
}

function gridOf(pictures: readonly Element[]): Element {
  for (const picture of pictures) picture.properties.sizes = gallerySizes;
  const figures = pictures.map(figureOf);
  const rest = beyondPreview(figures.length);
  const last = figures[previewPictures - 1];
  if (last !== undefined && rest > 0) last.properties.dataMore = rest;
  return h('div', { className: ['gallery'] }, ...figures);
}

/**
 * The pictures and players of a paragraph without other content. A linked picture does not count: badges are
 * linked.
 */
function mediaOf({ children }: Element): Element[] {
  const shown = children.filter(child => !isSpace(child));
  return shown.every(isMedium) ? shown : [];
}

const isMedium = (node: ElementContent): node is Element =>
  node.type === 'element' && (node.tagName === 'img' || isPlayer(node));

/** Whether an element holds no blocks. */
function isPhrasing(node: Parents): boolean {
  return (
    node.type === 'element' &&
    (/^(?:p|h[1-6]|summary)$/.test(node.tagName) || inlineTags.includes(node.tagName))
  );
}

function isSpace(node: ElementContent): boolean {
  if (node.type === 'text') return node.value.trim() === '';
  return node.type === 'comment' || (node.type === 'element' && node.tagName === 'br');
}

/** Who has the title: of a player the link inside it, which only programs without players show. */
function titled(medium: Element): Element {
  const [link] = medium.children;
  return link?.type === 'element' ? link : medium;
}

function captionOf(medium: Element): string {
  const caption = String(titled(medium).properties.title ?? '').trim();
  return isCameraName(caption) ? '' : caption;
}

function figureOf(medium: Element): Element {
  const caption = captionOf(medium);
  // Otherwise the same words would be shown twice.
  delete titled(medium).properties.title;
  return h('figure', {}, medium, ...(caption === '' ? [] : [h('figcaption', {}, text(caption))]));
}
