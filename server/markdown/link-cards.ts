import type { Element, ElementContent, Root } from 'hast';
import { h, text } from './elements.ts';
import { reachOf } from './links.ts';
import { startTags } from './start-tags.ts';
import { plainText } from './text.ts';
import { eachPlace } from './walk.ts';

/**
 * A link to another site that is alone in its paragraph and has a title becomes a card: its picture, its
 * words, the title as a sentence, and its host. Other programs show the same Markdown as a link.
 */
export function rehypeLinkCards() {
  return (tree: Root) => {
    eachPlace(tree, node => {
      if (node.type !== 'element' || node.tagName !== 'p') return undefined;
      const link = onlyLinkOf(node);
      const sentence = String(link?.properties.title ?? '').trim();
      if (link === undefined || sentence === '' || plainText(link).trim() === '') return undefined;
      const address = String(link.properties.href ?? '');
      const host = URL.parse(address)?.host;
      if (host === undefined || reachOf(address, 'link') !== 'remote') return undefined;
      const pictures = link.children.filter(isPicture).slice(0, 1);
      const words = link.children.filter(child => !isPicture(child));
      // Otherwise the same words would be shown twice.
      delete link.properties.title;
      link.properties.className = ['link-card'];
      link.children = [
        ...pictures,
        h('strong', {}, ...words),
        ...[...new Set([sentence, host])].flatMap(part => [text(' '), h('span', {}, text(part))]),
      ];
      return undefined;
    });
  };
}

const isPicture = (node: ElementContent) => node.type === 'element' && node.tagName === 'img';

function onlyLinkOf({ children }: Element): Element | undefined {
  const [link, ...others] = children.filter(child => child.type !== 'text' || child.value.trim() !== '');
  const isOne = link?.type === 'element' && link.tagName === 'a' && others.length === 0;
  return isOne ? link : undefined;
}

const attributes = '(?: [\\w:-]+="[^"]*")*';
const cardEnd = '</span></a>';
/** A card made above, in the HTML that `render.ts` writes. */
const card = new RegExp(
  `^<a(${attributes}) class="link-card">(?:<img${attributes}>)?<strong>(.*?)</strong>` +
    ' <span>([^<]*)</span>( <span>[^<]*</span>)?</a>$',
  's',
);

/**
 * Rendered HTML with each card as a plain link and its sentence below it: feeds and mails have no style for
 * cards. An attribute may hold what looks like the start of a card, so only real tags start one, and each
 * part is read once.
 */
export function withPlainCards(html: string): string {
  let plain = '';
  let from = 0;
  for (const { 0: tag, index } of html.matchAll(startTags)) {
    if (index < from || !tag.startsWith('<a ') || !tag.endsWith(' class="link-card">')) continue;
    const end = html.indexOf(cardEnd, index);
    if (end < 0) break;
    plain += html.slice(from, index);
    from = end + cardEnd.length;
    plain += plainCard(html.slice(index, from));
  }
  return plain + html.slice(from);
}

function plainCard(html: string): string {
  return html.replace(card, (_, link: string, words: string, sentence: string, host = '') => {
    // A card without a separate host has the host as its sentence.
    const below = host === '' ? '' : `<br>${sentence}`;
    return `<a${link}>${words.trim()}</a>${below}`;
  });
}
