import type { Element, ElementContent, Parents, Root, RootContent } from 'hast';
import type { VFile } from 'vfile';
import {
  commentStandIn,
  decode,
  elementOf,
  frameLink,
  type RawTag,
  rawTag,
  readableTag,
  tagStandIn,
} from './raw-tag.ts';
import { blockTags, inlineTags } from './schema.ts';
import { eachNode } from './walk.ts';

/** Tags that are kept, with the attributes that raw-tag.ts keeps. Of all others only the content is kept. */
const inline = new Set(inlineTags);
const blocks = new Set(blockTags);
/** Void tags; an embedded page becomes a link. */
const voidTags = new Set(['br', 'hr', 'iframe', 'img', 'wbr']);
/** The content of these is not text for a reader. */
const unreadable = new Set(['script', 'style', 'template', 'title', 'object', 'noscript']);
/** Tags whose end may be omitted before the next of their kind. */
const impliedEnd = new Set(['li', 'p', 'td', 'th', 'tr', 'dt', 'dd']);
const flowParents = new Set(['blockquote', 'li', 'details', 'div', 'dd', 'figure']);
const maxDepth = 16;

type Token =
  | { kind: 'node'; node: ElementContent; source?: string }
  | { kind: 'open' | 'close'; tag: RawTag }
  | { kind: 'comment' };

/**
 * A piece of raw HTML as a reader may see it; an invisible one is a stand-in that only keeps its position.
 */
type RawPiece = { text: string; isShown: boolean };
type RawPieces = Map<number, RawPiece[]>;

declare module 'vfile' {
  interface DataMap {
    rawPieces: RawPieces;
    /** The start offsets of nodes inside of hidden raw elements. */
    hiddenPlaces: Set<number>;
  }
}

/**
 * Replaces raw HTML in a hast tree by the harmless part of it: known tags as elements, with the few
 * attributes that carry content, the text of everything else, nothing of scripts, styles and comments. A tag
 * counts if its end is among the siblings, so Markdown between `<details>` and `</details>` ends up inside.
 * It is not an HTML parser and need not agree with one: the tree that it builds is sanitised and serialised
 * again.
 */
export function rehypeRawHtml() {
  return (tree: Root, file: VFile) => {
    const hiddenPlaces = new Set<number>();
    const rawPieces: RawPieces = new Map();
    eachNode(tree, node => {
      if (node.type !== 'root' && node.type !== 'element') return;
      const parent: Parents = node;
      if (parent.children.some(child => child.type === 'raw')) {
        parent.children = rebuild(parent, rawPieces, hiddenPlaces) as typeof parent.children;
      }
    });
    Object.assign(file.data, { rawPieces, hiddenPlaces });
  };
}

function rebuild(parent: Parents, rawPieces: RawPieces, hiddenPlaces: Set<number>): ElementContent[] {
  const tokens = parent.children.flatMap(child => {
    const pieces: RawPiece[] = [];
    if (child.type === 'raw') rawPieces.set(child.position?.start.offset ?? -1, pieces);
    return tokensOf(child).map(token => ({ token, pieces }));
  });
  const lastEnd = new Map(
    tokens.map(({ token }, index) => [token.kind === 'close' ? token.tag.name : '', index]),
  );
  const children = new Children(parent);
  for (let index = 0; index < tokens.length; index += 1) {
    const { token, pieces } = tokens[index] as (typeof tokens)[number];
    if (token.kind === 'node') {
      children.append(token.node);
      if (token.source !== undefined) pieces.push({ text: token.source, isShown: true });
    } else if (token.kind === 'comment') {
      pieces.push({ text: commentStandIn, isShown: false });
    } else if (token.kind === 'close') {
      const isShown = children.close(token.tag.name);
      pieces.push({ text: isShown ? `</${token.tag.writtenName}>` : tagStandIn(token.tag), isShown });
    } else {
      const { tag } = token;
      const isClosed = (lastEnd.get(tag.name) ?? -1) > index;
      if (unreadable.has(tag.name) && isClosed) {
        pieces.push({ text: tagStandIn(tag), isShown: false });
        for (index += 1; !isEndOf(tokens[index]?.token, tag.name); index += 1) {
          const hidden = tokens[index]?.token;
          const place = hidden?.kind === 'node' ? hidden.node.position?.start.offset : undefined;
          if (place !== undefined) hiddenPlaces.add(place);
        }
        tokens[index]?.pieces.push({ text: tagStandIn({ ...tag, source: '</' }), isShown: false });
      } else {
        const readable = children.open(tag, isClosed) ? readableTag(tag) : undefined;
        pieces.push({ text: readable ?? tagStandIn(tag), isShown: readable !== undefined });
      }
    }
  }
  return children.finished();
}

/** The children of a node while its raw tags become elements. */
class Children {
  readonly #parent: Parents;
  readonly #isFlow: boolean;
  readonly #result: ElementContent[] = [];
  readonly #open: Element[] = [];

  constructor(parent: Parents) {
    this.#parent = parent;
    this.#isFlow = parent.type === 'root' || (parent.type === 'element' && flowParents.has(parent.tagName));
  }

  append(node: ElementContent): void {
    // As in HTML, a block ends the paragraph that contains it.
    if (this.#open.at(-1)?.tagName === 'p' && isBlock(node)) this.#open.pop();
    (this.#open.at(-1)?.children ?? this.#result).push(node);
  }

  /** Begins the element of a tag. Returns whether the tag has an effect here. */
  open(tag: RawTag, isClosed: boolean): boolean {
    const { name } = tag;
    const element = name === 'iframe' ? frameLink(tag) : elementOf(tag);
    if (element === undefined || !this.#mayHold(name)) return false;
    if (impliedEnd.has(name) && this.#open.at(-1)?.tagName === name) this.#open.pop();
    if (!voidTags.has(name)) {
      const hasEnd = isClosed || (impliedEnd.has(name) && this.#open.length > 0);
      if (!hasEnd || this.#open.length >= maxDepth) return false;
    }
    this.append(element);
    if (!voidTags.has(name)) this.#open.push(element);
    return true;
  }

  /** Ends the element of this name, and those inside of it. False if there is none. */
  close(name: string): boolean {
    const at = this.#open.findLastIndex(element => element.tagName === name);
    if (at >= 0) this.#open.length = at;
    return at >= 0;
  }

  finished(): ElementContent[] {
    const isOfParagraphs =
      this.#parent.type === 'root' || (this.#isFlow && this.#parent.tagName === 'blockquote');
    return isOfParagraphs ? inParagraphs(this.#result) : this.#result;
  }

  #mayHold(name: string): boolean {
    if (name === 'iframe') return true;
    if (!inline.has(name) && !(this.#isFlow && blocks.has(name))) return false;
    const around = [this.#parent, ...this.#open];
    return name !== 'a' || !around.some(one => one.type === 'element' && one.tagName === 'a');
  }
}

const isEndOf = (token: Token | undefined, name: string) =>
  token === undefined || (token.kind === 'close' && token.tag.name === name);

/**
 * Comments, instructions, CDATA and declarations; then tags. The bounds keep the search linear if nothing
 * closes.
 */
const commentOrTag =
  /<!--[\s\S]*?(?:-->|$)|<\?[\s\S]*?(?:\?>|$)|<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|<![^>]{0,2000}>|<(\/?)([a-z][a-z0-9-]*)((?:"[^"]*"|'[^']*'|[^"'>]){0,2000})>/gi;

function tokensOf(node: RootContent | ElementContent): Token[] {
  if (node.type !== 'raw') return node.type === 'doctype' ? [] : [{ kind: 'node', node }];
  const tokens: Token[] = [];
  const text = (source: string) => {
    if (source !== '') tokens.push({ kind: 'node', node: { type: 'text', value: decode(source) }, source });
  };
  let end = 0;
  for (const found of node.value.matchAll(commentOrTag)) {
    text(node.value.slice(end, found.index));
    end = found.index + found[0].length;
    const [source, slash, name, attributes = ''] = found;
    if (name === undefined) tokens.push({ kind: 'comment' });
    else
      tokens.push({
        kind: slash === '/' ? 'close' : 'open',
        tag: rawTag(source, name.toLowerCase(), attributes),
      });
  }
  text(node.value.slice(end));
  return tokens;
}

const isBlock = (node: ElementContent): boolean =>
  node.type === 'element' && (!inline.has(node.tagName) || node.children.some(isBlock));

/** Bare text in a block of HTML, in paragraphs of its own. */
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
