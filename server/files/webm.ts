import { type FileHandle, open } from 'node:fs/promises';
import { write, zero } from './disk.ts';
import { unsearchable } from './refusals.ts';

/** What is read at once: most of a recording without an index are elements of a few hundred bytes. */
const windowBytes = 64 * 1024;

/** Elements of Matroska (RFC 9559) that are looked into. */
const opened = new Set([0x18538067 /* Segment */, 0x1549a966 /* Info */]);
/** What cameras, recorders and editors write about a film, and checksums that would no longer be right. */
const personal = new Set([
  0x1254c367 /* Tags */, 0x1941a469 /* Attachments */, 0x7ba9 /* Title */, 0x4461 /* DateUTC */,
  0x7384 /* SegmentFilename */, 0x3c83ab /* PrevFilename */, 0x3eb383 /* NextFilename */, 0xbf /* CRC-32 */,
]);

/** No film has as many; without an end, a file of nothing else would take an hour. */
const maxCleared = 1_000;

/**
 * `end` is undefined for an element that does not say how long it is: a recording that was written as it
 * went.
 */
type Element = { id: number; body: number; end: number | undefined };

/**
 * Takes out of a WebM file what its camera wrote into it: descriptions, attached pictures, its title and its
 * date. Everything keeps its place: what goes becomes a void of the same length. Returns whether there was
 * anything. A file that is cut short or damaged is cleared as far as it can be read. Throws
 * permission-denied for one with more of it than any film has.
 */
export async function clearWebm(path: string): Promise<boolean> {
  await using handle = await open(path, 'r+');
  const { size } = await handle.stat();
  let cleared = 0;
  let read = { bytes: Buffer.alloc(0), at: 0 };
  for (let at = 0; at < size; ) {
    if (at < read.at || at + 12 > read.at + read.bytes.length) read = await readAt(handle, at);
    const element = elementAt(read.bytes, at - read.at, at);
    if (element === undefined) break;
    const { id, body, end } = element;
    if (end !== undefined && personal.has(id)) {
      if (cleared === maxCleared) throw unsearchable();
      await makeVoid(handle, at, Math.min(end, size));
      cleared += 1;
    }
    at = end === undefined || opened.has(id) ? body : end;
  }
  if (cleared > 0) await handle.datasync();
  return cleared > 0;
}

async function readAt(handle: FileHandle, at: number): Promise<{ bytes: Buffer<ArrayBuffer>; at: number }> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(windowBytes), 0, windowBytes, at);
  return { bytes: buffer.subarray(0, bytesRead), at };
}

/**
 * An id, then a length: the zeros that each begins with say how many bytes it has. `place` is where in the
 * file.
 */
function elementAt(bytes: Buffer, at: number, place: number): Element | undefined {
  const idBytes = Math.clz32(bytes[at] ?? 0) - 23;
  const first = bytes[at + idBytes] ?? 0;
  const lengthBytes = Math.clz32(first) - 23;
  if (idBytes > 4 || lengthBytes > 8 || at + idBytes + lengthBytes > bytes.length) return undefined;
  let length = first - 2 ** (8 - lengthBytes);
  for (let next = 1; next < lengthBytes; next += 1) length = length * 256 + (bytes[at + idBytes + next] ?? 0);
  const body = place + idBytes + lengthBytes;
  // All ones.
  const isUnknown = length >= 2 ** (7 * lengthBytes) - 1;
  return { id: bytes.readUIntBE(at, idBytes), body, end: isUnknown ? undefined : body + length };
}

async function makeVoid(handle: FileHandle, from: number, to: number): Promise<void> {
  const head = Buffer.alloc(to - from < 129 ? 2 : 9);
  const length = to - from - head.length;
  if (head.length === 2) head.writeUInt8(0x80 | length, 1);
  else head.writeUIntBE(length, 3, 6);
  if (head.length === 9) head[1] = 1;
  head[0] = 0xec;
  await write(handle, head, from);
  await zero(handle, from + head.length, to);
}
