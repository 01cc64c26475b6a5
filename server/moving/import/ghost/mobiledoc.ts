import { cardHtml, escaped, isMarkdownCard, recordOf } from './html.ts';

const tagNames = new Set(
  'a aside b blockquote code del em h1 h2 h3 h4 h5 h6 i li mark ol p pull-quote s strong sub sup u ul'.split(
    ' ',
  ),
);
/** The kinds of sections (Mobiledoc 0.3). */
const kinds = { markup: 1, image: 2, list: 3, card: 10 } as const;

type Mobiledoc = { atoms: unknown[]; cards: unknown[]; markups: unknown[] };

/**
 * The text of Ghost's editor before 5 as HTML; see `lexicalHtml` for `markdown`. Throws SyntaxError for
 * invalid JSON.
 */
export function mobiledocHtml(json: string, markdown: (text: string) => string): string {
  const { atoms, cards, markups, sections } = recordOf(JSON.parse(json));
  const document = { atoms: arrayOf(atoms), cards: arrayOf(cards), markups: arrayOf(markups) };
  const html = arrayOf(sections).map(section => sectionHtml(arrayOf(section), document, markdown));
  return html.join('\n');
}

function sectionHtml(section: unknown[], document: Mobiledoc, markdown: (text: string) => string): string {
  const [kind, second, third] = section;
  if (kind === kinds.markup) {
    const tag = second === 'aside' || second === 'pull-quote' ? 'blockquote' : tagOf(second);
    return `<${tag}>${markersHtml(third, document)}</${tag}>`;
  }
  if (kind === kinds.list) {
    const items = arrayOf(third).map(item => `<li>${markersHtml(item, document)}</li>`);
    return `<${tagOf(second)}>${items.join('')}</${tagOf(second)}>`;
  }
  if (kind === kinds.image) return `<img src="${escaped(second)}" alt="">`;
  if (kind !== kinds.card) return '';
  const [name, payload] = arrayOf(document.cards[Number(second)]);
  if (isMarkdownCard(String(name))) return markdown(String(recordOf(payload).markdown ?? ''));
  return cardHtml(String(name), payload) ?? '';
}

/** Markers open and close markups around their text: `[kind, opened, how many close, text]`. */
function markersHtml(markers: unknown, { atoms, markups }: Mobiledoc): string {
  const open: string[] = [];
  const html = arrayOf(markers).map(marker => {
    const [kind, opened, closed, value] = arrayOf(marker);
    const opening = arrayOf(opened).map(index => {
      const [tag, attributes] = arrayOf(markups[Number(index)]);
      open.push(tagOf(tag));
      return `<${tagOf(tag)}${hrefOf(arrayOf(attributes))}>`;
    });
    const text = kind === 0 ? escaped(value) : atomHtml(arrayOf(atoms[Number(value)]));
    const closing = Array.from(
      { length: Math.min(Number(closed) || 0, open.length) },
      () => `</${open.pop()}>`,
    );
    return opening.join('') + text + closing.join('');
  });
  return html.join('');
}

const atomHtml = ([name, text]: unknown[]) => (name === 'soft-return' ? '<br>' : escaped(text));

/** Attributes are alternating names and values. */
function hrefOf(attributes: unknown[]): string {
  const index = attributes.indexOf('href');
  return index < 0 ? '' : ` href="${escaped(attributes[index + 1])}"`;
}

const tagOf = (tag: unknown) => (tagNames.has(String(tag)) ? String(tag) : 'p');
const arrayOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
