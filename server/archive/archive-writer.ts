import { hash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Pack, pack } from 'tar-stream';
import type { Column, Row } from '../db/table-columns.ts';
import { type Chunks, copies } from '../files/store.ts';
import { type Kind, partBytes, partName } from './format.ts';

const compress = promisify(gzip);

/** Writes the entries of an archive, one after the other: each waits until whoever reads {@link tar} has taken it. */
export class ArchiveWriter {
  readonly tar: Pack = pack();
  readonly kinds: Record<string, Kind> = {};

  async entry(name: string, bytes: Uint8Array): Promise<void> {
    await this.stream(name, bytes.length, [bytes]);
  }

  /** An entry of exactly `size` bytes. A chunk may be used again once the next is asked for. */
  async stream(name: string, size: number, chunks: Chunks): Promise<void> {
    const entry = this.tar.entry({ name, size, mtime: new Date(0), mode: 0o600 });
    await pipeline(copies(chunks), entry);
  }

  /** Begins, or goes on with, the lines of a kind; each has these columns. */
  lines(kind: string, columns: readonly string[]): Lines {
    this.kinds[kind] ??= { columns: [...columns], rows: 0, parts: [] };
    return new Lines(this, kind, this.kinds[kind]);
  }

  end(): void {
    this.tar.finalize();
  }
}

/** Lines of JSON, in compressed parts. */
class Lines {
  readonly #writer: ArchiveWriter;
  readonly #name: string;
  readonly #kind: Kind;
  #lines: string[] = [];
  #bytes = 0;

  constructor(writer: ArchiveWriter, name: string, kind: Kind) {
    this.#writer = writer;
    this.#name = name;
    this.#kind = kind;
  }

  async add(line: string): Promise<void> {
    const bytes = Buffer.byteLength(line) + 1;
    if (this.#bytes + bytes > partBytes) await this.end();
    this.#lines.push(line);
    this.#bytes += bytes;
  }

  /** Writes the lines that were added since the last part. */
  async end(): Promise<void> {
    if (this.#lines.length === 0) return;
    const name = partName(this.#name, this.#kind.parts.length + 1);
    const bytes = Buffer.from(`${this.#lines.join('\n')}\n`);
    const sha256 = hash('sha256', bytes, 'hex');
    this.#kind.parts.push({ name, rows: this.#lines.length, sha256 });
    this.#kind.rows += this.#lines.length;
    this.#lines = [];
    this.#bytes = 0;
    await this.#writer.entry(name, await compress(bytes));
  }
}

/** A row as a line, the same from either engine: its columns by name, flags as booleans, times in ISO 8601. */
export function lineOf(row: Row, columns: readonly Column[]): string {
  const values = columns.map(({ name, kind }) => {
    const value = row[name];
    if (kind === 'flag' && value !== null) return [name, value === true || value === 1];
    return [name, value instanceof Date ? value.toISOString() : value];
  });
  return JSON.stringify(Object.fromEntries(values));
}
