import { createHash, hash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Row } from '../../db/table-columns.ts';
import type { Tables } from '../../db/tables.ts';
import { isMissingBytes } from '../../files/store/missing-bytes.ts';
import { type Chunks, type FileStore, readWhole } from '../../files/store/store.ts';
import { keysOfFile } from '../../files/variant.ts';
import { checked } from './archive-reader.ts';
import type { ArchiveWriter } from './archive-writer.ts';
import { compact, fileName, type Manifest, type Stored, storedKind } from './format.ts';
import { archivedTables } from './tables.ts';

/** Files up to this size are read into memory, several at a time; a larger one is read twice. Bytes. */
const smallBytes = 1024 * 1024;
const sideBySide = 8;

const bytesLikeRow = 64 * 1024;
const workOfFile = (size: number) => 1 + Math.floor(size / bytesLikeRow);

/** The work of an archive: its rows, and the bytes of their files converted to rows. */
export async function workOf(db: Kysely<Tables>): Promise<number> {
  const counts = archivedTables.map(({ name }) => sql`(select count(*) from ${sql.table(name)})`);
  const { rows } = await sql<{ work: number }>`select ${sql.join(counts, sql` + `)}
    + (select cast(coalesce(sum(1 + size / ${sql.lit(bytesLikeRow)}), 0) as bigint) from files) as work`.execute(
    db,
  );
  return rows[0]?.work ?? 0;
}

/** The keys of a row of `files` in the store, each with the number of its bytes. */
export const keysOfRow = ({ id, size, variants }: Row) =>
  keysOfFile({ id: String(id), size: Number(size), variants: variants === null ? null : String(variants) });

/** The keys of these files in the store, as lines of `key size`. */
export function keysOf(rows: readonly Row[]): Buffer {
  return Buffer.from(
    rows
      .flatMap(keysOfRow)
      .map(({ key, size }) => `${key} ${size}\n`)
      .join(''),
  );
}

/**
 * Writes the bytes of these keys, each different file once, and after them the keys of each. `step` is called
 * with the work done.
 */
export async function writeFiles(
  store: FileStore,
  writer: ArchiveWriter,
  keys: readonly Buffer[],
  step: (work: number) => Promise<void>,
): Promise<Pick<Manifest, 'files' | 'missing'>> {
  const files = { count: 0, bytes: 0 };
  const missing: string[] = [];
  const known = new Set<string>();
  const lines = writer.lines(storedKind, ['key', 'sha256', 'size']);
  const write = async ({ key, size, sha256, chunks }: Read) => {
    const digest = compact(sha256);
    if (!known.has(digest)) {
      known.add(digest);
      await writer.stream(fileName(sha256), size, chunks);
      files.count += 1;
      files.bytes += size;
    }
    await lines.add(JSON.stringify({ key, sha256, size } satisfies Stored));
  };
  for (const group of groupsOf(keys)) {
    const reading = await Promise.all(group.map(key => read(store, key)));
    for (const [index, found] of reading.entries()) {
      if (found === undefined) missing.push(group[index]?.key ?? '');
      else await write(found);
    }
    // Smaller sizes of a picture, whose keys have a dot, were not counted.
    const own = group.filter(({ key }) => !key.includes('.'));
    await step(own.reduce((sum, { size }) => sum + workOfFile(size), 0));
  }
  await lines.end();
  return { files, missing };
}

/** Small files in parallel, because a remote store is slow to answer; a large one alone. */
function* groupsOf(keys: readonly Buffer[]): Generator<{ key: string; size: number }[]> {
  let group: { key: string; size: number }[] = [];
  for (const lines of keys) {
    for (const line of lines.toString().split('\n')) {
      const [key = '', size] = line.split(' ');
      if (key === '') continue;
      const entry = { key, size: Number(size) };
      if (entry.size > smallBytes) yield [entry];
      else group.push(entry);
      if (group.length < sideBySide) continue;
      yield group;
      group = [];
    }
  }
  if (group.length > 0) yield group;
}

type Read = Stored & { chunks: Chunks };

/** The bytes under a key, hashed; undefined if there are none. */
async function read(
  store: FileStore,
  { key, size }: { key: string; size: number },
): Promise<Read | undefined> {
  try {
    if (size <= smallBytes) {
      const bytes = await readWhole(store, key);
      return { key, size: bytes.length, sha256: hash('sha256', bytes, 'hex'), chunks: [bytes] };
    }
    const hashed = createHash('sha256');
    let found = 0;
    for await (const chunk of store.read(key)) {
      hashed.update(chunk);
      found += chunk.length;
    }
    const sha256 = hashed.digest('hex');
    // The bytes under a key never change, but a disk may.
    const chunks = checked({ name: `the file ${key} of the site`, chunks: store.read(key) }, sha256);
    return { key, size: found, sha256, chunks };
  } catch (error) {
    if (isMissingBytes(error)) return undefined;
    throw error;
  }
}
