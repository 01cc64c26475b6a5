import type { Element, ElementContent } from 'hast';
import { classesOf, h, text } from '../../../markdown/elements.ts';
import { lineOf } from '../html/to-markdown.ts';

/** Rewrites cards that Ghost has rendered, into elements that `htmlToMarkdown` understands. */
export function rewriteCard(element: Element): ElementContent[] | undefined {
  const card = classesOf(element).find(name => Object.hasOwn(cards, name));
  return card === undefined ? undefined : cards[card]?.(element);
}

const cards: Readonly<Record<string, (card: Element) => ElementContent[]>> = {
  'kg-audio-card': card => [
    ...player(card, 'audio', wordsOf(find(card, 'kg-audio-title'))),
    ...captionOf(card),
  ],
  'kg-video-card': card => [...player(card, 'video', undefined), ...captionOf(card)],
  'kg-bookmark-card': card => {
    const href = find(card, 'kg-bookmark-container')?.properties.href;
    if (typeof href !== 'string') return [];
    const title = wordsOf(find(card, 'kg-bookmark-title')) || href;
    const description = wordsOf(find(card, 'kg-bookmark-description'));
    const paragraphs = [h('p', {}, h('a', { href }, text(title)))];
    if (description !== '') paragraphs.push(h('p', {}, text(description)));
    return [h('blockquote', {}, ...paragraphs), ...captionOf(card)];
  },
  'kg-callout-card': card => {
    const emoji = wordsOf(find(card, 'kg-callout-emoji'));
    const words = find(card, 'kg-callout-text')?.children ?? [];
    return [h('blockquote', {}, h('p', {}, text(emoji === '' ? '' : `${emoji} `), ...words))];
  },
  'kg-file-card': card => {
    const href = find(card, 'kg-file-card-container')?.properties.href;
    if (typeof href !== 'string') return [];
    const title =
      wordsOf(find(card, 'kg-file-card-title')) || wordsOf(find(card, 'kg-file-card-filename')) || href;
    return [h('p', {}, h('a', { href }, text(title)))];
  },
  'kg-toggle-card': card => {
    const title = wordsOf(find(card, 'kg-toggle-heading-text'));
    const inside = find(card, 'kg-toggle-content')?.children ?? [];
    return [h('details', {}, h('summary', {}, text(title)), ...inside)];
  },
  // The platform's forms and offers.
  'kg-signup-card': () => [],
  'kg-cta-card': () => [],
  'kg-email-cta-card': () => [],
  'kg-product-card-rating': () => [],
};

function player(card: Element, tagName: 'audio' | 'video', title: string | undefined): Element[] {
  const found = findBy(card, element => element.tagName === tagName);
  const src = found?.properties.src;
  return typeof src === 'string' ? [h(tagName, { src, ...(title && { title }) })] : [];
}

const captionOf = (card: Element): Element[] => {
  const caption = findBy(card, element => element.tagName === 'figcaption');
  return caption === undefined ? [] : [caption];
};

const find = (card: Element, name: string) => findBy(card, element => classesOf(element).includes(name));

function findBy(element: Element, isWanted: (element: Element) => boolean): Element | undefined {
  for (const child of element.children) {
    if (child.type !== 'element') continue;
    const found = isWanted(child) ? child : findBy(child, isWanted);
    if (found !== undefined) return found;
  }
  return undefined;
}

const wordsOf = (card: Element | undefined) => (card === undefined ? '' : lineOf(card));
