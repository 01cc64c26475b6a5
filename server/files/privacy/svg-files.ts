import { randomUUID } from 'node:crypto';
import { stripAvif } from './avif.ts';
import { DamagedPicture, stripMetadata } from './strip.ts';
import { unreadable } from './svg-parts.ts';
import { pictureTypes, svgType, typeOfBytes } from './type.ts';

/** Pictures and fonts embedded in a drawing, which would take the parser most of its time and memory. */
const files = /data:[\w.+-]+\/[\w.+-]+(?:;[\w.-]+=[\w.-]+)*;base64,[\w+/=\s]*/gi;
/** The files of a drawing. Nobody can write their placeholders: `word` is random. */
export type Taken = { word: string; files: readonly string[] };

/** A drawing in which a short address replaces each embedded file. */
export function withoutFiles(drawing: string): { text: string; taken: Taken } {
  const word = `data:${randomUUID()},`;
  const found: string[] = [];
  const text = drawing.replaceAll(files, file => `${word}${found.push(file.trimEnd()) - 1}`);
  return { text, taken: { word, files: found } };
}

/**
 * An embedded file as an address: a picture without metadata, a drawing, a font; undefined for all others.
 */
export function cleanFile(address: string, cleanDrawing: (bytes: Buffer) => Buffer): string | undefined {
  const { type, bytes } = fileIn(address);
  // TrueType, OpenType, WOFF: browsers accept nothing else as a font.
  if (/^(?:00010000|74727565|4f54544f|774f46(?:46|32))$/.test(bytes.toString('hex', 0, 4)))
    return addressFor(type, bytes);
  const found = typeOfBytes(bytes);
  if (found === svgType) return addressFor(svgType, cleanDrawing(bytes));
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

const addressFor = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString('base64')}`;
