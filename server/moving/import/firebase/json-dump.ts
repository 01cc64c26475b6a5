import { AppError } from '../../../../contract/errors.ts';
import { readJsonItems } from '../json-items.ts';
import type { Document } from './entity.ts';
import { fieldOf, recordOf } from './fields.ts';

/** The key under which the common tools' dumps have a document's subcollections. */
const nested = '__collections__';
const subCollection = 'subCollection';

/**
 * The documents of a JSON dump: of node-firestore-import-export (`{"__collections__": {"posts": {...}}}`), or
 * of firestore-export-import and similar tools (`{"posts": {"id": {...}}}`). Throws invalid-argument if it is
 * not JSON.
 */
export async function* readJsonDump(
  bytes: AsyncIterable<Uint8Array>,
  isNested: boolean,
): AsyncGenerator<Document> {
  const paths = [isNested ? `$.${nested}.*.*` : '$.*.*'];
  for await (const item of readJsonItems(bytes, paths)) {
    const [collection, id] = item.path.slice(-2);
    const fields = recordOf(item.value);
    if (fields !== undefined) yield* documentsIn(`${collection}/${id}`, fields);
  }
}

function* documentsIn(path: string, { ...fields }: Record<string, unknown>): Generator<Document> {
  const below = { ...recordOf(fields[nested]), ...recordOf(fields[subCollection]) };
  delete fields[nested];
  delete fields[subCollection];
  yield { path, fields };
  for (const [name, documents] of Object.entries(below)) {
    // Some name a collection by its whole path.
    const collection = name.includes('/') ? name : `${path}/${name}`;
    for (const [id, value] of Object.entries(recordOf(documents) ?? {})) {
      const inner = recordOf(value);
      if (inner !== undefined) yield* documentsIn(`${collection}/${id}`, inner);
    }
  }
}

/**
 * Bytes. A line holds one document: Firestore's have at most 1 MiB, and JSON escapes some characters in six.
 */
const maxLineBytes = 16 * 1024 * 1024;

/**
 * The documents of firestore-backfire: lines of `{"path": "posts/id", "data": {...}}`. Throws
 * invalid-argument.
 */
export async function* readLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Document> {
  let number = 0;
  for await (const line of linesOf(bytes)) {
    number += 1;
    if (line.trim() === '') continue;
    yield documentOf(line, number);
  }
}

function documentOf(line: string, number: number): Document {
  let value: Record<string, unknown> | undefined;
  try {
    value = recordOf(JSON.parse(line));
  } catch {
    value = undefined;
  }
  const path = value && fieldOf(value, 'path');
  const fields = value && recordOf(fieldOf(value, 'data'));
  if (typeof path !== 'string' || fields === undefined) {
    throw new AppError('invalid-argument', `Its line ${number} is no document with a path and data.`);
  }
  return { path: path.split('/').filter(Boolean).join('/'), fields };
}

/** Node's own line reader keeps a line of any length in memory. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      yield Buffer.concat([...held, chunk.subarray(start, end)]).toString();
      held = [];
      size = 0;
      start = end + 1;
    }
    size += chunk.length - start;
    if (size > maxLineBytes) throw new AppError('invalid-argument', 'A line is larger than any document.');
    held.push(Buffer.from(chunk.subarray(start)));
  }
  yield Buffer.concat(held).toString();
}
