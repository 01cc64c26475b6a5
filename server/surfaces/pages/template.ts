import { constants, crc32, deflateRawSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { scriptSafe } from '../../../contract/script-safe.ts';
import { counted } from '../../../contract/text.ts';
import { ownBytes } from '../../http/own-bytes.ts';
import { escapeHtml } from '../../markdown/escape-html.ts';
import { digestOf } from '../../secrets.ts';
import type { Value } from '../../shared-answer.ts';
import { marks } from './marks.ts';

/**
 * A place in a document that is filled in for each reader. The bytes between it and the next one end at offset `end` of
 * the rest.
 */
type Part = { mark: number; write(value: Value): string; end: number };

/** How far back deflate looks, in bytes. */
const windowBytes = 32 * 1024;
/** The header of a gzip stream without a name or a time (RFC 1952, section 2.3). */
const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

/**
 * The bytes that the documents of a screen have in common: mainly its stylesheet, which is most of each document. They
 * are stored and compressed only once.
 */
class CommonPart {
  readonly bytes: Buffer;
  #deflated: Buffer | undefined;

  constructor(text: string) {
    this.bytes = ownBytes(Buffer.from(text));
  }

  /** These bytes as part of a deflate stream, without references to anything before them. */
  get deflated(): Buffer {
    this.#deflated ??= ownBytes(
      deflateRawSync(this.bytes, { level: 9, finishFlush: constants.Z_SYNC_FLUSH }),
    );
    return this.#deflated;
  }
}

/** One for each screen; in development, one more each time a stylesheet is edited. */
const commonParts = new LRUCache<string, CommonPart>({ max: 100, memoMethod: text => new CommonPart(text) });

/** A document with marks in it, ready to be filled in for one reader after another. */
export class Template {
  /** The bytes before the common part. */
  readonly #start: Buffer;
  readonly #common: CommonPart;
  /** The bytes after the common part, without the marks. */
  readonly #rest: Buffer;
  /** The offset of the first mark in the rest. */
  readonly #middleEnd: number;
  readonly #parts: readonly Part[];
  #deflatedStart: Buffer | undefined;
  /** A digest of the document without its marks, which hold a secret of this process. */
  readonly #digest: string;

  /**
   * `common` is a part of the document before its first mark; `state` is the part that is JSON inside a script; all
   * else is HTML.
   */
  constructor(document: string, common: string, state: string) {
    this.#digest = digestOf(document.replaceAll(marks, (_mark, _number, noun = '') => `\0${noun}`));
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

  /** Its approximate size in memory without the common part, in bytes. */
  get size(): number {
    return this.#start.length * 2 + this.#rest.length + this.#parts.length * 50 + 1_000;
  }

  /** A digest of the document filled in with these values, the same in every process, without filling it in. */
  digest(values: readonly Value[]): string {
    const written = this.#parts.map(({ mark }) => values[mark]);
    return digestOf(this.#digest + JSON.stringify(written));
  }

  /** The whole document. */
  fill(values: readonly Value[]): Buffer<ArrayBuffer> {
    return Buffer.concat([this.#start, this.#common.bytes, this.#filled(values)]);
  }

  /**
   * The whole document as gzip, in a quarter of the time: the common part was compressed before, and serves as the
   * dictionary for the rest. A decoder sees one stream.
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

  /** The bytes after the common part, filled in for one reader. */
  #filled(values: readonly Value[]): Buffer<ArrayBuffer> {
    const written = this.#parts.map(({ mark, write }) => {
      const value = values[mark];
      if (value === undefined) throw new Error(`Nothing is known for the mark ${mark} of a page.`);
      return write(value);
    });
    const bytes = written.reduce((sum, text) => sum + Buffer.byteLength(text), this.#rest.length);
    // Every byte is overwritten below. A buffer for each value would take longer than writing them.
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
  if (isState) return withinState;
  if (noun === 'like' || noun === 'comment') return value => counted(Number(value), noun);
  return value => escapeText(String(value));
}

/** A value within the JSON of a page; a text without quotes, because they are already around the mark. */
function withinState(value: Value): string {
  const json = scriptSafe(value);
  return typeof value === 'string' ? json.slice(1, -1) : json;
}

/** Escapes a text or attribute as React does. */
function escapeText(text: string): string {
  return escapeHtml(text).replaceAll("'", '&#x27;');
}
