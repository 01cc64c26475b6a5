import type { Element, ElementContent } from 'hast';
import { classesOf, h, text } from '../../../markdown/elements.ts';
import { htmlToMarkdown } from '../html/to-markdown.ts';
import type { WpCode } from './code.ts';

/** The parts of a post beside its HTML: its pieces of code, and its footnotes as WordPress stores them. */
export type WpConversion = { codes: readonly WpCode[]; footnotes: string | undefined };

/** The Markdown of a post's HTML, with its footnotes at the end. Throws as `htmlToMarkdown` does. */
export function convertPost(html: string, { codes, footnotes: written }: WpConversion): string {
  const footnotes = footnotesOf(written);
  const body = htmlToMarkdown(html, element => rewrite(element, footnotes, codes));
  const used = [...footnotes.values()].filter(({ isUsed }) => isUsed);
  const notesAtEnd = used.map(({ number, words }) => `[^${number}]: ${words}`);
  return [body, ...notesAtEnd].join('\n\n').trim();
}

function rewrite(
  element: Element,
  footnotes: ReadonlyMap<string, Footnote>,
  codes: readonly WpCode[],
): ElementContent[] | undefined {
  const { tagName, properties } = element;
  const code = properties.dataCode === undefined ? undefined : codes[Number(properties.dataCode)];
  if (code !== undefined) return [codeElement(code)];
  const classes = classesOf(element);
  if (tagName === 'sup' && properties.dataFn !== undefined) {
    const footnote = footnotes.get(String(properties.dataFn));
    if (footnote === undefined) return [];
    footnote.isUsed = true;
    return [h('footnote', { id: footnote.number })];
  }
  // The button beside a file's name links to the same file.
  if (classes.includes('wp-block-file__button') || classes.includes('screen-reader-text')) return [];
  if (tagName === 'pre' && classes.includes('wp-block-verse')) return [verse(element)];
  return undefined;
}

function codeElement({ code, language, isInline }: WpCode): Element {
  const element = h('code', language === '' ? {} : { className: [`language-${language}`] }, text(code));
  return isInline ? element : h('pre', {}, element);
}

/** Lines of a poem, which are not code. */
function verse({ children }: Element): Element {
  const lines = children.flatMap<ElementContent>(child => {
    if (child.type !== 'text') return [child];
    return child.value
      .split('\n')
      .flatMap((line, index) => (index === 0 ? [text(line)] : [h('br'), text(line)]));
  });
  return h('p', {}, ...lines);
}

type Footnote = { number: string; words: string; isUsed: boolean };

/** By the id that the text refers to them by. */
function footnotesOf(json: string | undefined): ReadonlyMap<string, Footnote> {
  const footnotes = new Map<string, Footnote>();
  for (const { id, content } of parsed(json)) {
    const words = htmlToMarkdown(content).replaceAll('\n', '\n    ');
    footnotes.set(id, { number: String(footnotes.size + 1), words, isUsed: false });
  }
  return footnotes;
}

function parsed(json: string | undefined): { id: string; content: string }[] {
  let value: unknown;
  try {
    value = JSON.parse(json ?? '[]');
  } catch {
    return [];
  }
  return (Array.isArray(value) ? value : []).filter(
    (one): one is { id: string; content: string } =>
      typeof one?.id === 'string' && typeof one?.content === 'string',
  );
}
