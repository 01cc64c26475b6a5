import { randomUUID } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import sax, { type Tag } from 'sax';
import { AppError } from '../../../contract/errors.ts';
import { stripAvif } from './avif.ts';
import { DamagedPicture, stripMetadata } from './strip.ts';
import { isKept, isProgram, partsOf, svg, xlink } from './svg-parts.ts';
import { pictureTypes, svgType, typeOfBytes } from './type.ts';

/** No drawing is larger, received or cleaned; a larger file contains photos. Bytes. */
const maxMib = 16;
const maxBytes = maxMib * 1024 * 1024;
/**
 * What entities and embedded files may add to a drawing: an entity may be mentioned any number of times. The
 * parser reads an entity twice for each mention. Characters.
 */
const maxExpanded = 2 * maxBytes;
/** How much of a drawing is read before the memory is looked at (media-process.ts). Characters. */
const pieceLength = 64 * 1024;
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
    throw new AppError('out-of-range', `A drawing (SVG) has at most ${maxMib} MiB.`);
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

function unreadable(): AppError {
  return new AppError(
    'permission-denied',
    'This drawing (SVG) cannot be read. Please save it again as plain SVG, or as PNG.',
  );
}

function tooLarge(): AppError {
  return new AppError(
    'out-of-range',
    `With everything that it refers to, this drawing (SVG) has more than ${maxMib} MiB. Please save it again as plain SVG, or as PNG.`,
  );
}

/** Pictures and fonts embedded in a drawing, which would take the parser most of its time and memory. */
const files = /data:[\w.+-]+\/[\w.+-]+(?:;[\w.-]+=[\w.-]+)*;base64,[\w+/=\s]*/gi;
/** The files of a drawing. Nobody can write their placeholders: `word` is random. */
type Taken = { word: string; files: readonly string[] };

/** A drawing in which a short address replaces each embedded file. */
function withoutFiles(drawing: string): { text: string; taken: Taken } {
  const word = `data:${randomUUID()},`;
  const found: string[] = [];
  const text = drawing.replaceAll(files, file => `${word}${found.push(file.trimEnd()) - 1}`);
  return { text, taken: { word, files: found } };
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
  readonly #written: Buffer[] = [];
  /** The next piece of output: many short strings would take twenty times its size. */
  #next = '';
  /** Bytes of the output so far. */
  #size = 0;
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
    this.#keep();
    return Buffer.concat(this.#written);
  }

  #add(written: string): void {
    this.#next += written;
    if (this.#next.length >= pieceLength) this.#keep();
  }

  #keep(): void {
    // A character has at least one byte.
    if (this.#size + this.#next.length > maxBytes) throw tooLarge();
    const bytes = Buffer.from(this.#next);
    this.#size += bytes.length;
    if (this.#size > maxBytes) throw tooLarge();
    this.#written.push(bytes);
    this.#next = '';
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
    this.#add(`<${[local, ...written].join(' ')}${isSelfClosing ? '/>' : '>'}`);
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
    if (element?.local === 'style') this.#add(escaped(this.#cleanStyle(this.#style)));
    this.#style = '';
    if (element?.isSelfClosing === false) this.#add(`</${element.local}>`);
  }

  #write(words: string): void {
    this.#pending = 0;
    const inside = this.#open.at(-1);
    if (this.#left > 0 || inside === undefined) return;
    if (inside.local === 'style') this.#style += words;
    else this.#add(escaped(this.#withFiles(words)));
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
    if (index === undefined) return isInner ? cleanFile(address, this.#depth) : undefined;
    const file = this.#fileAt(index);
    if (!this.#cleaned.has(index)) this.#cleaned.set(index, cleanFile(file, this.#depth));
    return this.#cleaned.get(index);
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

/**
 * An embedded file as an address: a picture without metadata, a drawing, a font; undefined for all others.
 */
function cleanFile(address: string, depth: number): string | undefined {
  const { type, bytes } = fileIn(address);
  // TrueType, OpenType, WOFF: browsers accept nothing else as a font.
  if (/^(?:00010000|74727565|4f54544f|774f46(?:46|32))$/.test(bytes.toString('hex', 0, 4)))
    return addressFor(type, bytes);
  const found = typeOfBytes(bytes);
  if (found === svgType) return addressFor(svgType, cleanInner(bytes, depth));
  if (!pictureTypes.has(found)) return undefined;
  try {
    return addressFor(found, found === 'image/avif' ? stripAvif(bytes).bytes : stripMetadata(found, bytes));
  } catch (error) {
    if (error instanceof DamagedPicture || error instanceof RangeError) return undefined;
    throw error;
  }
}

function fileIn(address: string): { type: string; bytes: Buffer } {
  const comma = address.indexOf(',');
  const [type = '', ...rest] = address.slice('data:'.length, comma).split(';');
  const data = address.slice(comma + 1);
  if (rest.at(-1)?.toLowerCase() === 'base64') return { type, bytes: Buffer.from(data, 'base64') };
  try {
    return { type, bytes: Buffer.from(decodeURIComponent(data)) };
  } catch (error) {
    // A percent sign without a valid escape.
    if (error instanceof URIError) throw unreadable();
    throw error;
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

const addressFor = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString('base64')}`;

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`);
}
