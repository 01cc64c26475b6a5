import type { Root as HtmlRoot } from 'hast';
import type {
  Definition,
  Html,
  Image,
  ImageReference,
  Link,
  LinkReference,
  Nodes,
  Parents,
  Root,
} from 'mdast';
import { toString as wordsOf } from 'mdast-util-to-string';
import remarkCjkFriendly from 'remark-cjk-friendly';
import remarkCjkFriendlyGfmStrikethrough from 'remark-cjk-friendly-gfm-strikethrough';
import remarkGfm from 'remark-gfm';
import remarkStringify from 'remark-stringify';
import { unified } from 'unified';
import type { VFile } from 'vfile';
import { isHiddenLabel } from './players.ts';
import { commentStandIn, inlineStandIn } from './raw-tag.ts';
import { eachNode, eachPlace } from './walk.ts';

const writer = unified()
  .use(remarkGfm)
  .use(remarkCjkFriendly)
  .use(remarkCjkFriendlyGfmStrikethrough)
  .use(remarkStringify, { bullet: '-', emphasis: '*', rule: '-', resourceLink: true })
  .freeze();

/**
 * The Markdown that a reader may have: everything that the rendering shows, and nothing else. Comments,
 * unused definitions, labels of references, dropped attributes and the like are an author's own notes. A text
 * without any stays as it is written; any other is serialised from the rest of its tree, so that nothing of
 * its source can slip through.
 *
 * @param tree the parsed text; changed by this.
 * @param shown the sanitised rendering of `tree`; `file` holds what `rehypeRawHtml` left there.
 */
export function readableMarkdown(tree: Root, shown: HtmlRoot, file: VFile): string {
  const sifter = new Sifter(tree, shown, file);
  eachPlace(tree, (node, index, parent) => {
    const rest = sifter.rest(node, parent);
    if (rest === undefined) return undefined;
    parent.children.splice(index, 1, ...(rest as typeof parent.children));
    return index;
  });
  if (!sifter.hasHidden) return String(file.value);
  sifter.resolveReferences();
  return writer.stringify(tree);
}

/** Removes invisible nodes from a tree. */
class Sifter {
  hasHidden = false;
  readonly #tree: Root;
  readonly #file: VFile;
  /** Names and offsets of the visible elements. */
  readonly #elements = new Set<string>();
  /** The first definition of each label: later ones have no effect. */
  readonly #definitions = new Map<string, Definition>();

  constructor(tree: Root, shown: HtmlRoot, file: VFile) {
    this.#tree = tree;
    this.#file = file;
    eachNode(shown, node => {
      if (node.type === 'element' && node.position)
        this.#elements.add(`${node.tagName} ${node.position.start.offset}`);
    });
    eachNode(tree, node => {
      if (node.type === 'definition' && !this.#definitions.has(node.identifier))
        this.#definitions.set(node.identifier, node);
    });
    this.#findUnseenDefinitions();
  }

  /**
   * The rest of a node that is visible in part or not at all; undefined for one that stays, changed or not.
   */
  rest(node: Nodes, parent: Parents): Nodes[] | undefined {
    if (this.#file.data.hiddenPlaces?.has(startOf(node))) return this.#nothing(parent, node);
    switch (node.type) {
      case 'html':
        return this.#html(node, parent);
      case 'code':
        if (node.meta) this.hasHidden = true;
        node.meta = null;
        return undefined;
      case 'footnoteDefinition':
        return this.#has(node, 'li') ? undefined : this.#nothing(parent, node);
      case 'tableRow': {
        const columns = parent.type === 'table' ? parent.children[0]?.children.length : undefined;
        if (node.children.length > (columns ?? 0)) this.hasHidden = true;
        node.children.length = Math.min(node.children.length, columns ?? 0);
        return undefined;
      }
      case 'link':
      case 'linkReference':
        return this.#link(node);
      case 'image':
      case 'imageReference':
        return this.#image(node, parent);
      default:
        return undefined;
    }
  }

  /** Replaces references by what they refer to. */
  resolveReferences(): void {
    eachPlace(this.#tree, (node, index, parent) => {
      if (node.type === 'definition') {
        parent.children.splice(index, 1, ...(this.#nothing(parent, node) as typeof parent.children));
        return index;
      }
      if (node.type !== 'linkReference' && node.type !== 'imageReference') return undefined;
      const { url = '', title = null } = this.#definitions.get(node.identifier) ?? {};
      const resolved: Link | Image =
        node.type === 'linkReference'
          ? { type: 'link', url, title, children: node.children }
          : { type: 'image', url, title, alt: node.alt ?? null };
      parent.children[index] = resolved;
      return undefined;
    });
  }

  /** A definition is visible if something refers to it by a visible label: `[label]`, not `[text][label]`. */
  #findUnseenDefinitions(): void {
    const seen = new Set<Definition | undefined>();
    eachNode(this.#tree, node => {
      if (node.type !== 'linkReference' && node.type !== 'imageReference') return;
      const shows = this.#has(node, 'a') || this.#has(node, 'img') || this.#plays(node);
      if (shows && node.referenceType !== 'full') seen.add(this.#definitions.get(node.identifier));
    });
    eachNode(this.#tree, node => {
      if (node.type === 'definition' && !seen.has(node)) this.hasHidden = true;
    });
  }

  #html(node: Html, parent: Parents): Nodes[] | undefined {
    const pieces = this.#file.data.rawPieces?.get(startOf(node)) ?? [];
    const isInline = parent.type !== 'root' && !flowParents.has(parent.type);
    const shown = pieces.filter(piece => piece.isShown);
    const value = (isInline ? shown : pieces).map(piece => piece.text).join('');
    if (shown.every(piece => piece.text.trim() === '')) return this.#nothing(parent, node);
    if (value !== node.value) this.hasHidden = true;
    // The serialiser recognises the kind of a block by its first character.
    node.value = isInline ? value : value.trimStart();
    return undefined;
  }

  #link(node: Link | LinkReference): Nodes[] | undefined {
    if (this.#has(node, 'a')) return undefined;
    const isPlayer = this.#plays(node);
    const isPlain = node.children.every(child => child.type === 'text');
    if (isPlayer && isPlain) return undefined;
    this.hasHidden = true;
    if (!isPlayer) return node.children;
    node.children = [{ type: 'text', value: wordsOf(node, { includeHtml: false }) }];
    return undefined;
  }

  #image(node: Image | ImageReference, parent: Parents): Nodes[] | undefined {
    if (this.#has(node, 'img') || this.#plays(node)) {
      if (this.#hasMoreThanWords(node)) this.hasHidden = true;
      return undefined;
    }
    const alt = node.alt ?? '';
    if (isHiddenLabel(alt) || alt === '') return this.#nothing(parent, node);
    this.hasHidden = true;
    return [{ type: 'text', value: alt }];
  }

  /** A stand-in for an invisible node, if its neighbours' meaning depends on it. */
  #nothing({ type, children }: Parents, node: Nodes): Nodes[] | undefined {
    // Two blocks make a list loose; and a tag that becomes the first in a paragraph begins a block of HTML.
    const isBeforeTags =
      type === 'paragraph' && children[0] === node && children.slice(1).some(child => child.type === 'html');
    const standIn = type === 'listItem' ? commentStandIn : isBeforeTags ? inlineStandIn : undefined;
    if (standIn !== undefined && node.type === 'html' && node.value === standIn) return undefined;
    this.hasHidden = true;
    return standIn === undefined ? [] : [{ type: 'html', value: standIn }];
  }

  /** An alternative text keeps only the words of its content, such as those of links. */
  #hasMoreThanWords(node: Image | ImageReference): boolean {
    const source = String(this.#file.value).slice(startOf(node) + '!['.length, node.position?.end.offset);
    return source.replace(/\[[^[\]]*\]$/, '').includes('[');
  }

  #plays(node: Nodes): boolean {
    return this.#has(node, 'video') || this.#has(node, 'audio');
  }

  #has(node: Nodes, tagName: string): boolean {
    return this.#elements.has(`${tagName} ${startOf(node)}`);
  }
}

const flowParents = new Set(['blockquote', 'listItem', 'footnoteDefinition']);

const startOf = (node: Nodes) => node.position?.start.offset ?? -1;
