import type { Definition, Image, Link, Nodes, Root } from 'mdast';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { inBounds, refuseTooLong } from '../../markdown/bounds.ts';

const parser = unified().use(remarkParse).use(remarkGfm).freeze();

/**
 * The position of an address in a text: offsets of the characters to replace. A bare one is the words of its
 * link, too.
 */
export type Reference = { address: string; isLink: boolean; isBare: boolean; start: number; end: number };

/** The part of an address from its `#` on, which names a moment of a video or a page of a PDF. */
export const fragmentOf = (address: string) => /#[\w=.,:-]+$/.exec(address)?.[0] ?? '';

/** Throws invalid-argument for a text that is too long or takes too long. */
export function parseMarkdown(content: string): Root {
  refuseTooLong(content);
  return inBounds(content, () => parser.parse(content));
}

/** Matches everything that could be an address: more than there are, and cheap to find. */
const looksLikeAddress =
  /\]\(\s*<?([^\s()<>]+)|\]:\s*<?([^\s<>]+)|(?:src|href|poster)\s*=\s*["']?([^\s"'<>]+)|(https?:\/\/[^\s<>"']+)/gi;

/**
 * The addresses that a text shows or links to, in Markdown and in its raw HTML, and that according to `isOwn`
 * may be the source's. Throws as {@link parseMarkdown} does.
 */
export function findReferences(content: string, isOwn: (address: string) => boolean): Reference[] {
  // Parsing takes time, and most texts link to other sites only.
  const candidates = [...content.matchAll(looksLikeAddress)];
  if (!candidates.some(match => isOwn(match.slice(1).find(group => group !== undefined) ?? ''))) return [];
  refuseTooLong(content);
  return inBounds(content, () =>
    referencesIn(parser.parse(content), content).filter(({ address }) => isOwn(address)),
  );
}

/** The text with other addresses at these positions. */
export function withAddresses(
  content: string,
  replacements: readonly { reference: Reference; address: string }[],
): string {
  const parts: string[] = [];
  let from = 0;
  for (const { reference, address } of replacements.toSorted(
    (a, b) => a.reference.start - b.reference.start,
  )) {
    parts.push(content.slice(from, reference.start), address);
    from = reference.end;
  }
  return [...parts, content.slice(from)].join('');
}

function referencesIn(node: Nodes, content: string): Reference[] {
  const start = node.position?.start.offset ?? 0;
  const source = content.slice(start, node.position?.end.offset ?? 0);
  if (node.type === 'html') return htmlAddresses(source, start);
  const inside = 'children' in node ? node.children.flatMap(child => referencesIn(child, content)) : [];
  if (node.type !== 'image' && node.type !== 'link' && node.type !== 'definition') return inside;
  const range = rangeOf(node, source);
  if (range === undefined) return inside;
  const isBare = node.type === 'link' && !source.startsWith('[');
  return [{ ...at(node.url, node.type === 'link', start, range), isBare }, ...inside];
}

type Range = [from: number, to: number];

/** The position of the address of a picture, a link or a definition in its source. */
function rangeOf({ type, url }: Image | Link | Definition, source: string): Range | undefined {
  if (type === 'definition') return addressIn(source, url, /\]:\s*(<[^<>\n]*>|\S+)/dy);
  if (type === 'link' && !source.startsWith('[')) {
    // A bare address in the text, or one between angle brackets.
    const from = source.startsWith('<') ? 1 : 0;
    return source.startsWith(url, from) ? [from, from + url.length] : undefined;
  }
  const inBrackets = /\]\(\s*(<[^<>\n]*>|[^\s<]\S*?)(?:\s+(?:"[\s\S]*"|'[\s\S]*'|\([\s\S]*\)))?\s*\)$/dy;
  return addressIn(source, url, inBrackets);
}

/**
 * Brackets may occur in an alternative text as well, so every position is tried until one has the parsed
 * address. `pattern` is sticky.
 */
function addressIn(source: string, url: string, pattern: RegExp): Range | undefined {
  for (
    let from = source.lastIndexOf(']');
    from >= 0;
    from = from === 0 ? -1 : source.lastIndexOf(']', from - 1)
  ) {
    // Only there: a search from each position to the end would take time with the square of the length.
    pattern.lastIndex = from;
    const match = pattern.exec(source);
    const range = match?.indices?.[1];
    if (match === null || range === undefined) continue;
    const written = (match[1] ?? '').replace(/^<(.*)>$/, '$1');
    const isSame = written.replaceAll(/\\([!-/:-@[-`{-~])/g, '$1') === url || written.includes('&');
    if (isSame) return range;
  }
  return undefined;
}

function htmlAddresses(source: string, start: number): Reference[] {
  const tags =
    /<(img|image|video|audio|source|a)\b[^>]*?\s(?:src|href|poster)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>{]+))/dgi;
  return [...source.matchAll(tags)].flatMap(match => {
    const isLink = match[1]?.toLowerCase() === 'a';
    return (
      match.indices
        ?.slice(2)
        .flatMap((range, group) => (range ? at(match[group + 2] ?? '', isLink, start, range) : [])) ?? []
    );
  });
}

const at = (address: string, isLink: boolean, start: number, [from, to]: Range): Reference => ({
  address,
  isLink,
  isBare: false,
  start: start + from,
  end: start + to,
});
