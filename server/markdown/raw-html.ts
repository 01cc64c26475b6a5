import type { Element, ElementContent, Parents, Root, RootContent } from 'hast';
import { decodeString } from 'micromark-util-decode-string';
import { visitParents } from 'unist-util-visit-parents';

/** Tags that are kept without their attributes, unless `keptAttributes` names some. All others lose their tags. */
const inlineTags = new Set(
  'a abbr b br cite code del dfn em i img ins kbd mark q s samp small strong sub sup u var wbr'.split(' '),
);
const blockTags = new Set(
  'blockquote dd details div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li ol p pre summary table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
);
const renamed: Record<string, string> = {
  center: 'div',
  section: 'div',
  article: 'div',
  strike: 's',
  tt: 'code',
};
const keptAttributes: Record<string, string[]> = {
  a: ['href', 'title', 'id'],
  abbr: ['title'],
  dfn: ['title'],
  details: ['open'],
  img: ['src', 'alt', 'title', 'width', 'height'],
  ol: ['start'],
  td: ['align'],
  th: ['align'],
};
const voidTags = new Set(['br', 'hr', 'img', 'wbr']);
/** What is between these is not text for a reader. */
const unreadable = new Set(['script', 'style', 'template', 'title', 'object', 'noscript']);
/** Tags whose end may be left out before the next of their kind. */
const impliedEnd = new Set(['li', 'p', 'td', 'th', 'tr', 'dt', 'dd']);
const flowParents = new Set(['blockquote', 'li', 'details', 'div', 'dd', 'figure']);
const maxDepth = 16;

type Token =
  | { kind: 'node'; node: ElementContent }
  | { kind: 'open'; name: string; attributes: string }
  | { kind: 'close'; name: string };

/**
 * Replaces raw HTML in a hast tree by the harmless part of what it means: known tags as elements, with the few
 * attributes that carry content, the text of everything else, nothing of scripts, styles and comments. A tag counts
 * when its end is among the siblings, so Markdown between `<details>` and `</details>` ends up inside. It is no HTML
 * parser and need not agree with one: the tree it builds is sanitised, and written out anew.
 */
export function rehypeRawHtml() {
  return (tree: Root) => {
    visitParents(tree, node => {
      if (!('children' in node)) return;
      const parent = node as Parents;
      if (parent.children.some(child => child.type === 'raw')) {
        parent.children = rebuild(parent) as typeof parent.children;
      }
    });
  };
}

function rebuild(parent: Parents): ElementContent[] {
  const isFlow = parent.type === 'root' || (parent.type === 'element' && flowParents.has(parent.tagName));
  const tokens = parent.children.flatMap(tokensOf);
  const lastEnd = new Map(tokens.map((token, index) => [token.kind === 'close' ? token.name : '', index]));
  const result: ElementContent[] = [];
  const open: Element[] = [];
  const append = (node: ElementContent) => {
    // As in HTML, a block ends the paragraph that it stands in.
    if (open.at(-1)?.tagName === 'p' && isBlock(node)) open.pop();
    (open.at(-1)?.children ?? result).push(node);
  };

  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token === undefined) break;
    if (token.kind === 'node') append(token.node);
    else if (token.kind === 'close') {
      const at = open.findLastIndex(element => element.tagName === token.name);
      if (at >= 0) open.length = at;
    } else {
      const { name } = token;
      const isClosed = (lastEnd.get(name) ?? -1) > index;
      if (unreadable.has(name) && isClosed) {
        while (!isEndOf(tokens[index], name)) index += 1;
        continue;
      }
      if (!inlineTags.has(name) && !(isFlow && blockTags.has(name))) continue;
      if (name === 'a' && [parent, ...open].some(one => one.type === 'element' && one.tagName === 'a'))
        continue;
      if (impliedEnd.has(name) && open.at(-1)?.tagName === name) open.pop();
      const element: Element = {
        type: 'element',
        tagName: name,
        properties: propertiesOf(token),
        children: [],
      };
      if (voidTags.has(name)) append(element);
      else if (open.length < maxDepth && (isClosed || (impliedEnd.has(name) && open.length > 0))) {
        append(element);
        open.push(element);
      }
    }
  }
  return parent.type === 'root' || (isFlow && parent.tagName === 'blockquote')
    ? inParagraphs(result)
    : result;
}

const isEndOf = (token: Token | undefined, name: string) =>
  token === undefined || (token.kind === 'close' && token.name === name);

// Comments, instructions, CDATA and declarations; then tags. The bounds keep the search linear when nothing closes.
const tag =
  /<!--[\s\S]*?(?:-->|$)|<\?[\s\S]*?(?:\?>|$)|<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|<![^>]{0,2000}>|<(\/?)([a-z][a-z0-9-]*)((?:"[^"]*"|'[^']*'|[^"'>]){0,2000})>/gi;

function tokensOf(node: RootContent | ElementContent): Token[] {
  if (node.type !== 'raw') return node.type === 'doctype' ? [] : [{ kind: 'node', node }];
  const tokens: Token[] = [];
  const text = (value: string) => {
    if (value !== '') tokens.push({ kind: 'node', node: { type: 'text', value: decode(value) } });
  };
  let end = 0;
  for (const found of node.value.matchAll(tag)) {
    text(node.value.slice(end, found.index));
    end = found.index + found[0].length;
    if (found[2] === undefined) continue;
    const written = found[2].toLowerCase();
    const name = Object.hasOwn(renamed, written) ? (renamed[written] ?? written) : written;
    if (found[1] === '/') tokens.push({ kind: 'close', name });
    else if (name === 'iframe') tokens.push(...frameTokens(found[3] ?? ''));
    else tokens.push({ kind: 'open', name, attributes: found[3] ?? '' });
  }
  text(node.value.slice(end));
  return tokens;
}

/** An embedded page would act; what is left of it is a link, so that an imported post does not lose its video. */
function frameTokens(attributes: string): Token[] {
  const href = attributesOf(attributes).get('src');
  if (href === undefined || !/^https?:\/\//i.test(href)) return [];
  const children: ElementContent[] = [{ type: 'text', value: href }];
  return [{ kind: 'node', node: { type: 'element', tagName: 'a', properties: { href }, children } }];
}

function propertiesOf({ name, attributes }: { name: string; attributes: string }): Element['properties'] {
  const kept = Object.hasOwn(keptAttributes, name) ? (keptAttributes[name] ?? []) : [];
  if (kept.length === 0) return {};
  const values = attributesOf(attributes);
  if (name === 'a' && values.has('name')) values.set('id', values.get('name') ?? '');
  return Object.fromEntries(
    [...values]
      .filter(([key]) => kept.includes(key))
      .map(([key, value]) => [key, key === 'open' ? true : value]),
  );
}

function attributesOf(written: string): Map<string, string> {
  const pattern = /([a-z][a-z0-9-]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/gi;
  const pairs = [...written.matchAll(pattern)].map(
    ([, name = '', double, single, bare]) =>
      [name.toLowerCase(), decode(double ?? single ?? bare ?? '')] as const,
  );
  return new Map(pairs.toReversed());
}

/** decodeString also removes Markdown's backslashes, which have no meaning in HTML. */
const decode = (value: string) => decodeString(value.replaceAll('\\', '\\\\'));

const isBlock = (node: ElementContent): boolean =>
  node.type === 'element' && (!inlineTags.has(node.tagName) || node.children.some(isBlock));

/** Text that stood bare in a block of HTML, in paragraphs of its own. */
function inParagraphs(nodes: ElementContent[]): ElementContent[] {
  const result: ElementContent[] = [];
  let run: ElementContent[] = [];
  const endRun = () => {
    const isBlank = run.every(node => node.type === 'text' && node.value.trim() === '');
    if (isBlank) result.push(...run);
    else result.push({ type: 'element', tagName: 'p', properties: {}, children: run });
    run = [];
  };
  for (const node of nodes) {
    if (!isBlock(node)) run.push(node);
    else {
      endRun();
      result.push(node);
    }
  }
  endRun();
  return result;
}
