import { readFile, stat, writeFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import sax, { type QualifiedAttribute, type QualifiedTag } from 'sax';
import { AppError } from '../../../contract/errors.ts';
import { stripAvif } from './avif.ts';
import { DamagedPicture, stripMetadata } from './strip.ts';
import { pictureTypes, typeOfBytes } from './type.ts';

/** No drawing has more; what is larger is photos in a drawing. Bytes. */
const maxBytes = 16 * 1024 * 1024;
/** How much of a drawing is read before others have their turn. Characters. */
const pieceLength = 64 * 1024;
const svg = 'http://www.w3.org/2000/svg';
const xhtml = 'http://www.w3.org/1999/xhtml';
const xlink = 'http://www.w3.org/1999/xlink';

/**
 * Takes out of a drawing what its program wrote into it, and what could run: comments, `metadata`, elements
 * and attributes of programs (Inkscape's path of the file, Illustrator's own data), scripts, addresses of
 * pictures elsewhere. Pictures within it lose their metadata. Returns whether there was anything. Throws
 * permission-denied for one that cannot be read, out-of-range for one that is too large.
 */
export async function clearSvg(path: string): Promise<boolean> {
  if ((await stat(path)).size > maxBytes) {
    throw new AppError('out-of-range', `A drawing (SVG) has at most ${maxBytes / 1024 / 1024} MiB.`);
  }
  const received = textOf(await readFile(path));
  const drawing = new Drawing();
  for (let at = 0; at < received.length; at += pieceLength) {
    drawing.read(received.slice(at, at + pieceLength));
    await setImmediate();
  }
  const cleaned = drawing.end();
  if (cleaned === received) return false;
  await writeFile(path, cleaned);
  return true;
}

/** The text of a drawing, in the encoding that it names. Throws as {@link clearSvg} does. */
function textOf(bytes: Buffer): string {
  const named = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(bytes.toString('latin1', 0, 200));
  try {
    return new TextDecoder(named?.[1] ?? 'utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    // A name of an encoding that does not exist, or bytes that are not of it.
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

/** Writes what is kept of a drawing while it is read. */
class Drawing {
  // Without positions, sax-js has no limit for the length of an attribute, which may be a picture.
  readonly #parser = sax.parser(true, { xmlns: true, position: false });
  readonly #written: string[] = [];
  readonly #open: QualifiedTag[] = [];
  /** How many elements are open within one that is left out, with it. */
  #left = 0;

  constructor() {
    const parser = this.#parser;
    parser.onerror = () => {
      throw unreadable();
    };
    parser.ondoctype = doctype => this.#define(doctype);
    parser.onopentag = tag => this.#begin(tag as QualifiedTag);
    parser.onclosetag = () => this.#finish();
    parser.ontext = words => this.#write(words);
    parser.oncdata = words => this.#write(words);
  }

  read(piece: string): void {
    this.#parser.write(piece);
  }

  end(): string {
    this.#parser.close();
    return this.#written.join('');
  }

  /** Illustrator names its namespaces by entities. None is read as markup, nor within another. */
  #define(doctype: string): void {
    const entities = /<!ENTITY\s+([\w.-]+)\s+(["'])([^"'<&]*)\2\s*>/g;
    for (const [, name = '', , value = ''] of doctype.matchAll(entities)) this.#parser.ENTITIES[name] = value;
  }

  #begin(tag: QualifiedTag): void {
    if (this.#left > 0 || !isKept(tag)) {
      this.#left += 1;
      return;
    }
    const { local, isSelfClosing } = tag;
    const outer = this.#open.at(-1);
    const spaces = [
      ...(outer === undefined || spaceOf(outer) !== spaceOf(tag) ? [`xmlns="${spaceOf(tag)}"`] : []),
      ...(outer === undefined ? [`xmlns:xlink="${xlink}"`] : []),
    ];
    const kept = Object.values(tag.attributes).flatMap(attribute => attributeOf(local, attribute));
    this.#written.push(`<${[local, ...spaces, ...kept].join(' ')}${isSelfClosing ? '/>' : '>'}`);
    this.#open.push(tag);
  }

  #finish(): void {
    if (this.#left > 0) {
      this.#left -= 1;
      return;
    }
    const tag = this.#open.pop();
    if (tag?.isSelfClosing === false) this.#written.push(`</${tag.local}>`);
  }

  #write(words: string): void {
    const inside = this.#open.at(-1);
    if (this.#left > 0 || inside === undefined) return;
    this.#written.push(escaped(inside.local === 'style' ? cleanStyle(words) : words));
  }
}

/** Old drawings name no namespace. */
const spaceOf = ({ uri }: QualifiedTag) => uri || svg;

/** Elements of SVG, and of HTML for texts in it, that show something. */
function isKept(tag: QualifiedTag): boolean {
  if (![svg, xhtml].includes(spaceOf(tag))) return false;
  return !/^(?:metadata|script|handler|listener|iframe|object|embed|meta|link|base|form)$/i.test(tag.local);
}

/** An attribute as it is written; none for one of a program, for a script and an address elsewhere. */
function attributeOf(element: string, { prefix, local, uri, value }: QualifiedAttribute): string[] {
  const isOfXlink = uri === xlink;
  if (/^(?:href|src)$/.test(local) && (prefix === '' || isOfXlink)) {
    const address = addressOf(element, value);
    return address === undefined ? [] : [`${isOfXlink ? 'xlink:' : ''}${local}="${escaped(address)}"`];
  }
  if (prefix === 'xml' && /^(?:space|lang)$/.test(local)) return [`xml:${local}="${escaped(value)}"`];
  // `data-name` is what somebody called a layer, `content` what diagrams.net opens again.
  if (prefix !== '' || /^(?:xmlns|content|srcset|on.*|data-.*)$/i.test(local)) return [];
  return [`${local}="${escaped(cleanStyle(value))}"`];
}

/** Where a link leads: within the drawing, a link elsewhere, or a picture that is in it, without metadata. */
function addressOf(element: string, written: string): string | undefined {
  const address = written.trim();
  if (address.startsWith('#')) return address;
  if (element === 'a') return /^(?:https?:\/\/|mailto:)/i.test(address) ? address : undefined;
  const base64 = /^data:image\/[\w.+-]+;base64,([\w+/=\s]+)$/i.exec(address)?.[1];
  return base64 === undefined ? undefined : cleanPicture(Buffer.from(base64, 'base64'));
}

/** A picture as an address, without metadata; undefined for one that cannot be cleaned. */
function cleanPicture(bytes: Buffer): string | undefined {
  const type = typeOfBytes(bytes);
  if (!pictureTypes.has(type)) return undefined;
  try {
    const cleaned = type === 'image/avif' ? stripAvif(bytes).bytes : stripMetadata(type, bytes);
    return `data:${type};base64,${cleaned.toString('base64')}`;
  } catch (error) {
    if (error instanceof DamagedPicture || error instanceof RangeError) return undefined;
    throw error;
  }
}

function cleanStyle(style: string): string {
  return style
    .replaceAll(/\/\*[\s\S]*?(?:\*\/|$)/g, '')
    .replaceAll(/data:[\w.+-]+\/[^\s"')]+/gi, address => addressOf('image', address) ?? '');
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`);
}
