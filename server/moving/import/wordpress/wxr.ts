import { StringDecoder } from 'node:string_decoder';
import sax, { type QualifiedAttribute, type QualifiedTag } from 'sax';
import { AppError } from '../../../../contract/errors.ts';

/** A category, tag or format of an item. */
type Term = { domain: string; slug: string; name: string };

/** An item of an export: a post, a page, a file, a menu entry ... Values by the names of {@link nameOf}. */
export type WxrItem = {
  kind: 'item';
  fields: Map<string, string>;
  terms: Term[];
  meta: Map<string, string>;
  comments: Map<string, string>[];
  /** The line of the file at which it begins. */
  line: number;
};
/** A site's properties in an export, one value after another, and an author's. */
type WxrSite = { kind: 'site'; name: string; value: string };
type WxrAuthor = { kind: 'author'; fields: Map<string, string> };
/** An item that is larger than any post. */
export type WxrOversized = { kind: 'oversized'; line: number };
export type WxrPart = WxrItem | WxrSite | WxrAuthor | WxrOversized;

/** Characters of one item: a post with all its comments. */
const maxItemCharacters = 32 * 1024 * 1024;
/** WordPress has five levels. Namespaces take the parser time with the square of their depth. */
const maxDepth = 100;
/** What an element counts in addition to its text. */
const elementCharacters = 100;

/**
 * The parts of a WordPress export (WXR 1.0 to 1.2: RSS with WordPress's own elements), one after another,
 * whatever its length. Elements are recognised by namespace, not by prefix. Only the fixed entities of XML
 * and HTML are known and no document type is allowed, so nothing is expanded or fetched. Throws
 * invalid-argument, with the line, for any other file.
 */
export async function* readWxr(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<WxrPart> {
  const reader = new WxrReader();
  const decoder = new StringDecoder('utf8');
  for await (const chunk of bytes) {
    reader.write(decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)));
    yield* reader.take();
  }
  reader.write(decoder.end());
  reader.end();
  yield* reader.take();
}

/** The name of an element here: by its namespace, in any version of the format. */
function nameOf({ uri, local }: { uri: string; local: string }): string {
  if (uri === '') return local;
  if (/^https?:\/\/wordpress\.org\/export\/1\.\d\/$/.test(uri)) return `wp:${local}`;
  if (/^https?:\/\/wordpress\.org\/export\/1\.\d\/excerpt\/$/.test(uri)) return 'excerpt';
  if (uri === 'http://purl.org/rss/1.0/modules/content/') return 'content';
  if (uri === 'http://purl.org/dc/elements/1.1/') return `dc:${local}`;
  return '';
}

class WxrReader {
  readonly #parser = sax.parser(true, { xmlns: true, position: true });
  readonly #path: string[] = [];
  #parts: WxrPart[] = [];
  #item: WxrItem | undefined;
  /** The group that the current element belongs to, within an item or an author. */
  #group: Map<string, string> | undefined;
  #term: Term | undefined;
  #text: string[] = [];
  #characters = 0;
  #hasChannel = false;

  constructor() {
    const parser = this.#parser;
    parser.onopentag = tag => this.#open(tag as QualifiedTag);
    parser.onclosetag = () => this.#close();
    parser.ontext = text => this.#add(text);
    parser.oncdata = text => this.#add(text);
    parser.ondoctype = () => this.#refuse('It declares a document type, which no export does');
    parser.onerror = error => this.#onError(error);
  }

  write(text: string): void {
    this.#parser.write(text);
  }

  end(): void {
    this.#parser.close();
    if (!this.#hasChannel) this.#refuse('It is no export of WordPress');
  }

  take(): WxrPart[] {
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  #open(tag: QualifiedTag): void {
    this.#path.push(nameOf(tag));
    const depth = this.#path.length;
    if (depth > maxDepth) this.#refuse(`Its elements are nested more than ${maxDepth} levels deep`);
    const name = this.#path.at(-1);
    if (depth === 2 && name === 'channel') this.#hasChannel = true;
    this.#text = [];
    // Elements take memory even without text.
    this.#characters = depth === 3 ? 0 : this.#characters + elementCharacters;
    if (this.#characters > maxItemCharacters) return;
    if (depth === 3 && name === 'item') {
      const line = this.#parser.line + 1;
      this.#item = { kind: 'item', fields: new Map(), terms: [], meta: new Map(), comments: [], line };
    } else if (depth === 3 && name === 'wp:author') this.#group = new Map();
    else if (this.#item !== undefined && depth === 4) {
      if (name === 'category') this.#term = termOf(tag);
      if (name === 'wp:comment' || name === 'wp:postmeta') this.#group = new Map();
    }
  }

  #close(): void {
    const [depth, name = ''] = [this.#path.length, this.#path.at(-1)];
    const value = this.#text.join('').replaceAll('\0', '').toWellFormed();
    this.#text = [];
    if (depth === 3) this.#closePart(name, value);
    else if (depth === 4 && this.#item !== undefined) this.#closeField(this.#item, name, value);
    else if (depth > 3 && name !== '') this.#groupAt(depth)?.set(name, value);
    this.#path.pop();
  }

  #closePart(name: string, value: string): void {
    if (name === 'item' && this.#item !== undefined) {
      const isOversized = this.#characters > maxItemCharacters;
      this.#parts.push(isOversized ? { kind: 'oversized', line: this.#item.line } : this.#item);
      this.#item = undefined;
    } else if (name === 'wp:author' && this.#group !== undefined) {
      this.#parts.push({ kind: 'author', fields: this.#group });
      this.#group = undefined;
    } else if (name !== '') this.#parts.push({ kind: 'site', name, value });
  }

  #closeField(item: WxrItem, name: string, value: string): void {
    const group = this.#group;
    this.#group = undefined;
    if (name === 'category' && this.#term !== undefined)
      item.terms.push({ ...this.#term, name: value.trim() });
    else if (name === 'wp:comment' && group !== undefined) item.comments.push(group);
    else if (name === 'wp:postmeta' && group !== undefined) {
      item.meta.set(group.get('wp:meta_key') ?? '', group.get('wp:meta_value') ?? '');
    } else if (name !== '' && !item.fields.has(name)) item.fields.set(name, value);
    this.#term = undefined;
  }

  /** The group of a value directly inside a comment, a meta value or an author; not deeper. */
  #groupAt(depth: number): Map<string, string> | undefined {
    return depth === (this.#item === undefined ? 4 : 5) ? this.#group : undefined;
  }

  #add(text: string): void {
    this.#characters += text.length;
    if (this.#characters > maxItemCharacters) this.#text = [];
    else if (this.#path.length > 2) this.#text.push(text);
  }

  #onError(error: Error): void {
    // Plugins leave unbound prefixes: such elements are ignored. An unknown entity, or a bare `&`, stays as
    // written.
    if (
      /^(?:Unbound namespace prefix|Invalid character in entity name|Invalid character entity)/.test(
        error.message,
      )
    ) {
      this.#parser.resume();
      return;
    }
    const [reason = ''] = error.message.split('\n');
    this.#refuse(`It is not whole XML: ${reason}`);
  }

  #refuse(reason: string): never {
    throw new AppError('invalid-argument', `${reason} (line ${this.#parser.line + 1}).`);
  }
}

function termOf({ attributes }: QualifiedTag): Term {
  const textOf = (name: string) => (attributes[name] as QualifiedAttribute | undefined)?.value ?? '';
  return { domain: textOf('domain'), slug: textOf('nicename'), name: '' };
}
