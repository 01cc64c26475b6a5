import { hash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Pack, pack } from 'tar-stream';
import type { Column, Row } from '../../db/table-columns.ts';
import { type Chunks, copies } from '../../files/store/store.ts';
import { type Kind, partBytes, partName } from './format.ts';

const compress = promisify(gzip);

/**
 * Writes the entries of an archive, one after the other: each waits until the reader of {@link tar} has read
 * it.
 */
export class ArchiveWriter {
  readonly tar: Pack = pack();
  readonly kinds: Record<string, Kind> = {};

  async entry(name: string, bytes: Uint8Array): Promise<void> {
    await this.stream(name, bytes.length, [bytes]);
  }

  /** An entry of exactly `size` bytes. A chunk may be reused once the next is requested. */
  async stream(name: string, size: number, chunks: Chunks): Promise<void> {
    const entry = this.tar.entry({ name, size, mtime: new Date(0), mode: 0o600 });
    await pipeline(copies(chunks), entry);
  }

  /** Begins the lines of a kind, JSON with these columns, written in compressed parts. */
  lines(kind: string, columns: readonly string[]) {
    const written: Kind = { columns: [...columns], rows: 0, parts: [] };
    this.kinds[kind] = written;
    let lines: string[] = [];
    let length = 0;
    /** Writes the lines that were added since the last part. */
    const end = async () => {
      if (lines.length === 0) return;
      const name = partName(kind, written.parts.length + 1);
      const bytes = Buffer.from(`${lines.join('\n')}\n`);
      written.parts.push({ name, rows: lines.length, sha256: hash('sha256', bytes, 'hex') });
      written.rows += lines.length;
      lines = [];
      length = 0;
      await this.entry(name, await compress(bytes));
    };
    const add = async (line: string) => {
      const bytes = Buffer.byteLength(line) + 1;
      if (length + bytes > partBytes) await end();
      lines.push(line);
      length += bytes;
    };
    return { add, end };
  }

  end(): void {
    this.tar.finalize();
  }
}

/**
 * A row as a line, the same from either engine: its columns by name, flags as booleans, times in ISO 8601.
 */
export function lineOf(row: Row, columns: readonly Column[]): string {
  const values = columns.map(({ name, kind }) => {
    const value = row[name];
    if (kind === 'flag' && value !== null) return [name, value === true || value === 1];
    return [name, value instanceof Date ? value.toISOString() : value];
  });
  return JSON.stringify(Object.fromEntries(values));
}
