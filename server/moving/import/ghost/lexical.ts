import { cardHtml, escaped, isMarkdownCard, listOf, recordOf } from './html.ts';

type Node = Readonly<Record<string, unknown>>;

/** The formats of a text in Lexical, by their bits. */
const formats: readonly (readonly [number, string])[] = [
  [1, 'strong'],
  [2, 'em'],
  [4, 's'],
  [8, 'u'],
  [16, 'code'],
  [32, 'sub'],
  [64, 'sup'],
  [128, 'mark'],
];

/**
 * The text of Ghost's editor (since 5) as HTML. `markdown` gets the Markdown of cards that contain it, and
 * returns a replacement. Throws SyntaxError for invalid JSON.
 */
export function lexicalHtml(json: string, markdown: (text: string) => string): string {
  const write = (node: Node): string => {
    const inside = () => listOf(node.children).map(write).join('');
    const type = String(node.type ?? '');
    switch (type) {
      case 'root':
        return inside();
      case 'text':
      case 'extended-text':
        return textHtml(node);
      case 'linebreak':
        return '<br>';
      case 'tab':
        return ' ';
      case 'paragraph':
        return `<p>${inside()}</p>`;
      case 'heading':
      case 'extended-heading':
        return `<${headingTag(node.tag)}>${inside()}</${headingTag(node.tag)}>`;
      case 'quote':
      case 'extended-quote':
      case 'aside':
        return `<blockquote><p>${inside()}</p></blockquote>`;
      case 'list': {
        const tag = node.listType === 'number' ? 'ol' : 'ul';
        return `<${tag}>${inside()}</${tag}>`;
      }
      case 'listitem':
        return `<li>${inside()}</li>`;
      case 'link':
      case 'autolink':
        return `<a href="${escaped(node.url)}">${inside()}</a>`;
      default:
        if (isMarkdownCard(type)) return markdown(String(node.markdown ?? ''));
        return cardHtml(type, node) ?? inside();
    }
  };
  return write(recordOf(recordOf(JSON.parse(json)).root));
}

function textHtml({ text, format }: Node): string {
  const bits = Number(format ?? 0);
  return formats
    .filter(([bit]) => (bits & bit) !== 0)
    .reduce((html, [, tag]) => `<${tag}>${html}</${tag}>`, escaped(text));
}

const headingTag = (tag: unknown) => (/^h[1-6]$/.test(String(tag)) ? String(tag) : 'h2');
