import { readFile, stat, writeFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import sax, { type Tag } from 'sax';
import { AppError } from '../../../contract/errors.ts';
import { cleanFile, type Taken, withoutFiles } from './svg-files.ts';
import { maxBytes, maxMib, Output, pieceLength, tooLarge } from './svg-output.ts';
import { isKept, isProgram, partsOf, svg, unreadable, xlink } from './svg-parts.ts';

/**
 * What entities and embedded files may add to a drawing: an entity may be mentioned any number of times. The
 * parser reads an entity twice for each mention. Characters.
 */
const maxExpanded = 2 * maxBytes;
/** The longest value or text besides the pictures of a drawing: the parser takes 34 bytes per character. */
const maxLength = 4 * 1024 * 1024;
/** A drawing inside a drawing is read in one piece. Bytes. */
const maxInnerBytes = 512 * 1024;
/** The deepest nesting, and the most attributes of an element. */
const maxDepth = 256;
const maxAttributes = 1_000;

/**
 * Removes from a drawing its program's metadata, and everything that could run: comments, `metadata`,
 * elements and attributes of programs (Inkscape's path of the file, Illustrator's own data), scripts,
 * addresses of pictures elsewhere. Pictures in it lose their metadata. Returns whether there was anything.
 * Throws permission-denied if it cannot be read, out-of-range if it is too large.
 */
export async function clearSvg(path: string): Promise<boolean> {
  if ((await stat(path)).size > maxBytes) {
    throw new AppError('out-of-range', `A drawing (SVG) has at most ${maxMib} MB.`);
  }
  const received = await readFile(path);
  const { text, taken } = withoutFiles(textOf(received));
  const drawing = new Drawing(taken);
  for (let at = 0; at < text.length; at += pieceLength) {
    drawing.read(text.slice(at, at + pieceLength));
    await setImmediate();
  }
  const cleaned = drawing.end();
  if (cleaned.equals(received)) return false;
  await writeFile(path, cleaned);
  return true;
}

/** The text of a drawing, decoded as it declares. Throws as {@link clearSvg} does. */
function textOf(bytes: Buffer): string {
  const named = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(bytes.toString('latin1', 0, 200));
  try {
    return new TextDecoder(named?.[1] ?? 'utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    // An unknown encoding, or bytes that are invalid in it.
    if (error instanceof RangeError || error instanceof TypeError) throw unreadable();
    throw error;
  }
}

type Open = { local: string; space: string; isSelfClosing: boolean; prefixes: readonly string[] };

/** Writes the kept parts of a drawing while it is read. */
class Drawing {
  // Without positions, sax-js does not limit the length of a value; with namespaces it takes time with the
  // square of the depth.
  readonly #parser = sax.parser(true, { position: false });
  readonly #files: readonly string[];
  /** The cleaned files, by their numbers: an entity may mention one often. */
  readonly #cleaned = new Map<string, string | undefined>();
  /** A placeholder, and an address that is nothing else. */
  readonly #placeholders: RegExp;
  readonly #placeholder: RegExp;
  readonly #depth: number;
  readonly #output = new Output();
  /** Characters that entities and embedded files have added. */
  #expanded = 0;
  readonly #open: Open[] = [];
  /** The namespaces of each prefix, the innermost last. */
  readonly #spaces = new Map<string, string[]>();
  /** How many removed elements are open, one inside the other. */
  #left = 0;
  #attributes = 0;
  /** The content of a style, which is cleaned as a whole. */
  #style = '';
  /** Characters since the last complete part of the drawing. */
  #pending = 0;

  /** `depth`: how many drawings this one is nested in. */
  constructor({ word, files: taken }: Taken, depth = 0) {
    this.#files = taken;
    this.#placeholders = new RegExp(`${word}(\\d+)`, 'g');
    this.#placeholder = new RegExp(`^${word}(\\d+)$`);
    this.#depth = depth;
    const parser = this.#parser;
    parser.onerror = () => {
      throw unreadable();
    };
    parser.ondoctype = doctype => this.#define(doctype);
    parser.onattribute = ({ name }) => this.#count(name);
    parser.onopentag = tag => this.#begin(tag as Tag);
    parser.onclosetag = () => this.#finish();
    parser.ontext = words => this.#write(words);
    parser.oncdata = words => this.#write(words);
  }

  read(piece: string): void {
    this.#pending += piece.length;
    this.#parser.write(piece);
    if (this.#pending > maxLength) throw unreadable();
  }

  end(): Buffer {
    this.#parser.close();
    return this.#output.end();
  }

  #expand(characters: number): void {
    this.#expanded += characters;
    if (this.#expanded > maxExpanded) throw tooLarge();
  }

  /**
   * Illustrator defines its namespaces as entities. Entities are read neither as markup nor inside one
   * another.
   */
  #define(doctype: string): void {
    const entities = /<!ENTITY\s+([\w.-]+)\s+(["'])([^"'<&]*)\2\s*>/g;
    for (const [, name = '', , value = ''] of doctype.matchAll(entities)) {
      const get = () => {
        this.#expand(value.length);
        return value;
      };
      Object.defineProperty(this.#parser.ENTITIES, name, { get, configurable: true });
    }
  }

  #count(name: string): void {
    this.#pending = 0;
    this.#attributes += 1;
    // Such a name would change how the parser looks up attributes.
    if (this.#attributes > maxAttributes || name in {}) throw unreadable();
  }

  #begin({ name, attributes, isSelfClosing }: Tag): void {
    this.#pending = 0;
    this.#attributes = 0;
    if (this.#open.length + this.#left >= maxDepth) throw unreadable();
    const [prefix, local] = partsOf(name);
    const declared = Object.entries(attributes).flatMap(([key, value]) => {
      const [before, after] = partsOf(key);
      return key === 'xmlns' ? [['', value] as const] : before === 'xmlns' ? [[after, value] as const] : [];
    });
    const spaces = new Map(declared);
    const found = spaces.get(prefix) ?? this.#spaceOf(prefix) ?? '';
    // Old drawings declare no namespace. A prefix without one belongs to a program.
    const space = prefix === '' ? found || svg : found;
    if (this.#left > 0 || !isKept(space, local, attributes)) {
      this.#left += 1;
      return;
    }
    const outer = this.#open.at(-1);
    const written = [
      ...(outer?.space !== space ? [`xmlns="${space}"`] : []),
      ...(outer === undefined ? [`xmlns:xlink="${xlink}"`] : []),
      ...Object.entries(attributes).flatMap(([key, value]) => {
        const [before, after] = partsOf(key);
        const isOfXlink = before !== '' && (spaces.get(before) ?? this.#spaceOf(before)) === xlink;
        return this.#attribute(local, { prefix: before, name: after, isOfXlink, value });
      }),
    ];
    this.#output.add(`<${[local, ...written].join(' ')}${isSelfClosing ? '/>' : '>'}`);
    for (const [declaring, value] of spaces) {
      const outside = this.#spaces.get(declaring);
      if (outside === undefined) this.#spaces.set(declaring, [value]);
      else outside.push(value);
    }
    this.#open.push({ local, space, isSelfClosing, prefixes: [...spaces.keys()] });
  }

  #spaceOf(prefix: string): string | undefined {
    return this.#spaces.get(prefix)?.at(-1);
  }

  #finish(): void {
    this.#pending = 0;
    if (this.#left > 0) {
      this.#left -= 1;
      return;
    }
    const element = this.#open.pop();
    for (const prefix of element?.prefixes ?? []) this.#spaces.get(prefix)?.pop();
    if (element?.local === 'style') this.#output.add(escaped(this.#cleanStyle(this.#style)));
    this.#style = '';
    if (element?.isSelfClosing === false) this.#output.add(`</${element.local}>`);
  }

  #write(words: string): void {
    this.#pending = 0;
    const inside = this.#open.at(-1);
    if (this.#left > 0 || inside === undefined) return;
    if (inside.local === 'style') this.#style += words;
    else this.#output.add(escaped(this.#withFiles(words)));
  }

  /** An attribute in its written form; empty for one of a program, for a script and an address elsewhere. */
  #attribute(
    element: string,
    { prefix, name, isOfXlink, value }: { prefix: string; name: string; isOfXlink: boolean; value: string },
  ): string[] {
    if (/^(?:href|src)$/.test(name) && (prefix === '' || isOfXlink)) {
      const address = this.#addressOf(element, value);
      return address === undefined ? [] : [`${isOfXlink ? 'xlink:' : ''}${name}="${escaped(address)}"`];
    }
    if (prefix === 'xml' && /^(?:space|lang)$/.test(name)) return [`xml:${name}="${escaped(value)}"`];
    if (prefix !== '' || isProgram.test(name)) return [];
    return [`${name}="${escaped(this.#cleanStyle(value))}"`];
  }

  /**
   * The target of a link: within the drawing, a link elsewhere, or an embedded file, without its metadata.
   */
  #addressOf(element: string, written: string): string | undefined {
    const address = written.trim();
    if (address.startsWith('#')) return address;
    if (element === 'a') return /^(?:https?:\/\/|mailto:)/i.test(address) ? address : undefined;
    const [, index] = this.#placeholder.exec(address) ?? [];
    const isInner = /^data:image\/svg\+xml[;,]/i.test(address);
    if (index === undefined) return isInner ? this.#cleanFile(address) : undefined;
    const file = this.#fileAt(index);
    if (!this.#cleaned.has(index)) this.#cleaned.set(index, this.#cleanFile(file));
    return this.#cleaned.get(index);
  }

  #cleanFile(address: string): string | undefined {
    return cleanFile(address, bytes => cleanInner(bytes, this.#depth));
  }

  /** Styles without comments, even inside strings, and without addresses elsewhere. */
  #cleanStyle(style: string): string {
    return style
      .replaceAll(
        // A string ends with its line, as in CSS: one without an end is looked through once.
        /("(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?)|\/\*[\s\S]*?(?:\*\/|$)/g,
        (_, string) => string ?? '',
      )
      .replaceAll(/@import[^;]*;?/gi, '')
      .replaceAll(/url\(([^()"']*|\s*"[^"]*"\s*|\s*'[^']*'\s*)\)/gi, (_, address) => {
        const kept = this.#addressOf('image', address.trim().replaceAll(/^["']|["']$/g, ''));
        return kept === undefined ? 'none' : `url("${kept}")`;
      })
      .replaceAll(this.#placeholders, 'data:,');
  }

  /** Text that contains the address of an embedded file. */
  #withFiles(words: string): string {
    return words.replaceAll(this.#placeholders, (_, index) => this.#fileAt(index));
  }

  #fileAt(index: string): string {
    const file = this.#files[Number(index)] ?? '';
    // An entity with a file in it may be mentioned often.
    this.#expand(file.length);
    return file;
  }
}

/** A drawing inside a drawing. Throws as {@link clearSvg} does. */
function cleanInner(bytes: Buffer, depth: number): Buffer {
  if (depth > 1 || bytes.length > maxInnerBytes) throw unreadable();
  const { text, taken } = withoutFiles(textOf(bytes));
  const drawing = new Drawing(taken, depth + 1);
  drawing.read(text);
  return drawing.end();
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`);
}
