import { constants, crc32, deflateRawSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { counted } from '../../../contract/text.ts';
import { ownBytes } from '../../http/own-bytes.ts';
import { marks, type Value } from './marks.ts';

/** A place in a document that is filled in for each reader; the bytes up to the next one end at `end` of the rest. */
type Part = { mark: number; write(value: Value): string; end: number };

/** How far back deflate looks, in bytes. */
const windowBytes = 32 * 1024;
/** Of a gzip stream without a name or a time (RFC 1952, section 2.3). */
const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

/**
 * Bytes that the documents of a screen have in common: its style above all, most of each document. They are kept and
 * compressed once for all of them.
 */
class CommonPart {
  readonly bytes: Buffer;
  #deflated: Buffer | undefined;

  constructor(text: string) {
    this.bytes = ownBytes(Buffer.from(text));
  }

  /** These bytes within a stream of deflate; they refer to nothing that comes before them. */
  get deflated(): Buffer {
    this.#deflated ??= ownBytes(
      deflateRawSync(this.bytes, { level: 9, finishFlush: constants.Z_SYNC_FLUSH }),
    );
    return this.#deflated;
  }
}

/** Of each screen there is one; in development, one more each time a style is edited. */
const commonParts = new LRUCache<string, CommonPart>({ max: 100, memoMethod: text => new CommonPart(text) });

/** A document with marks in it, ready to be filled in for one reader after another. */
export class Template {
  /** What stands before the common part. */
  readonly #start: Buffer;
  readonly #common: CommonPart;
  /** What follows the common part, without the marks. */
  readonly #rest: Buffer;
  /** Where the first mark stands in the rest. */
  readonly #middleEnd: number;
  readonly #parts: readonly Part[];
  #deflatedStart: Buffer | undefined;

  /**
   * `common` stands in the document, before its first mark; `state` is the part that is JSON inside a script; all else is
   * HTML.
   */
  constructor(document: string, common: string, state: string) {
    const stateAt = document.lastIndexOf(state);
    const isState = (at: number) => at >= stateAt && at < stateAt + state.length;
    const commonAt = document.indexOf(common);
    const found = [...document.matchAll(marks)];
    const after = (match: RegExpExecArray) => match.index + match[0].length;
    const until = (index: number) => found[index]?.index ?? document.length;
    if (commonAt < 0 || until(0) < commonAt) throw new Error('The head of a page is not where it should be.');
    this.#start = ownBytes(Buffer.from(document.slice(0, commonAt)));
    this.#common = commonParts.memo(common);
    const texts = [
      document.slice(commonAt + common.length, until(0)),
      ...found.map((match, index) => document.slice(after(match), until(index + 1))),
    ];
    const pieces = texts.map(text => Buffer.from(text));
    this.#rest = ownBytes(Buffer.concat(pieces));
    let end = pieces[0]?.length ?? 0;
    this.#middleEnd = end;
    this.#parts = found.map((match, index) => {
      end += pieces[index + 1]?.length ?? 0;
      return { mark: Number(match[1]), write: writer(match[2], isState(match.index)), end };
    });
  }

  /** Bytes that it takes in memory beside the common part, about. */
  get size(): number {
    return this.#start.length * 2 + this.#rest.length + this.#parts.length * 50 + 1_000;
  }

  /** The whole document. */
  fill(values: readonly Value[]): Buffer<ArrayBuffer> {
    return Buffer.concat([this.#start, this.#common.bytes, this.#filled(values)]);
  }

  /**
   * The whole document as gzip, in a quarter of the time: the common part is compressed once, and what follows refers to it
   * as if it had just been. A decoder sees one stream.
   */
  fillZipped(values: readonly Value[]): Buffer<ArrayBuffer> {
    this.#deflatedStart ??= ownBytes(deflateRawSync(this.#start, { finishFlush: constants.Z_SYNC_FLUSH }));
    const { bytes: common, deflated: deflatedCommon } = this.#common;
    const rest = this.#filled(values);
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(crc32(rest, crc32(common, crc32(this.#start))), 0);
    trailer.writeUInt32LE(this.#start.length + common.length + rest.length, 4);
    const deflated = deflateRawSync(rest, { level: 1, dictionary: common.subarray(-windowBytes) });
    return Buffer.concat([gzipHeader, this.#deflatedStart, deflatedCommon, deflated, trailer]);
  }

  /** What follows the common part, for one reader. */
  #filled(values: readonly Value[]): Buffer<ArrayBuffer> {
    const written = this.#parts.map(({ mark, write }) => {
      const value = values[mark];
      if (value === undefined) throw new Error(`Nothing is known for the mark ${mark} of a page.`);
      return write(value);
    });
    const bytes = written.reduce((sum, text) => sum + Buffer.byteLength(text), this.#rest.length);
    // All of it is written over below; a buffer for each value would take longer than the values.
    const filled = Buffer.allocUnsafe(bytes);
    let from = this.#middleEnd;
    let at = this.#rest.copy(filled, 0, 0, from);
    for (const [index, { end }] of this.#parts.entries()) {
      at += filled.write(written[index] ?? '', at);
      at += this.#rest.copy(filled, at, from, end);
      from = end;
    }
    return filled;
  }
}

function writer(noun: string | undefined, isState: boolean): Part['write'] {
  if (isState) return value => scriptSafe(value);
  if (noun === 'like' || noun === 'comment') return value => counted(Number(value), noun);
  return value => escapeText(String(value));
}

/** A value within the JSON of a page; a text without its quotes, which stand around the mark. */
function scriptSafe(value: Value): string {
  if (typeof value !== 'string') return String(value);
  return JSON.stringify(value)
    .slice(1, -1)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#x27;',
};

/** As React writes a text and an attribute. */
function escapeText(text: string): string {
  return text.replaceAll(/[&<>"']/g, character => escapes[character] ?? character);
}
