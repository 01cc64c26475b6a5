import { type FileHandle, open } from 'node:fs/promises';
import { write, zero } from './disk.ts';
import { unsearchable } from './unsearchable.ts';

/** The index of a film is read as a whole; a longer one belongs to no film that fits into a file of ours. */
const maxIndexBytes = 64 * 1024 * 1024;

/** No film has more boxes on the levels that are read. One of a few bytes each, in a large file, would take an hour. */
const maxBoxes = 100_000;
/** A position sixty times a second, for more than four hours. */
const maxSamples = 1_000_000;

type Box = { type: string; start: number; body: number; end: number };
/** How many more boxes of a film are read. */
type Budget = { boxes: number };

/** Counts a box. Throws permission-denied for more than any film has: what is behind it would keep its hidden data. */
function takeBox(budget: Budget): void {
  budget.boxes -= 1;
  if (budget.boxes < 0) throw unsearchable();
}

/** What cameras, recorders, editors and players write about a film: place, device, owner, software, pictures. */
const personal = new Set(['udta', 'meta', 'uuid']);
/** Boxes that begin with when something was made and changed. */
const dated = new Set(['mvhd', 'tkhd', 'mdhd']);

/**
 * Takes out of an MP4, QuickTime or M4A file what its camera wrote into it: descriptions (place above all), times, and tracks
 * of measurements such as a position for every second. Everything keeps its place, so nothing that plays moves: what
 * goes becomes free space, filled with zeros. Returns whether there was anything. A file that is cut short or damaged is
 * cleared as far as it can be read. Throws permission-denied for one that holds more than is searched.
 */
export async function clearVideo(path: string): Promise<boolean> {
  await using handle = await open(path, 'r+');
  const { size } = await handle.stat();
  const budget = { boxes: maxBoxes };
  let isChanged = false;
  for await (const box of topBoxes(handle, size, budget)) {
    if (personal.has(box.type)) {
      await write(handle, Buffer.from('free', 'latin1'), box.start + 4);
      await zero(handle, box.body, box.end);
      isChanged = true;
    }
    if (box.type === 'moov') {
      if (box.end - box.start > maxIndexBytes) throw unsearchable();
      isChanged = (await clearIndex(handle, box, { size, budget })) || isChanged;
    }
  }
  if (isChanged) await handle.datasync();
  return isChanged;
}

async function* topBoxes(handle: FileHandle, size: number, budget: Budget): AsyncGenerator<Box> {
  const head = Buffer.alloc(16);
  for (let at = 0; at + 8 <= size; ) {
    takeBox(budget);
    const { bytesRead } = await handle.read(head, 0, 16, at);
    const box = boxAt(head.subarray(0, bytesRead), 0, size - at);
    if (box === undefined) return;
    yield { type: box.type, start: at, body: at + box.body, end: at + box.end };
    at += box.end;
  }
}

/** Clears the film's index (`moov`) and, in the file, the samples of its tracks of measurements. */
async function clearIndex(
  handle: FileHandle,
  { start, body, end }: Box,
  { size, budget }: { size: number; budget: Budget },
): Promise<boolean> {
  const received = Buffer.alloc(end - body);
  await handle.read(received, 0, received.length, body);
  const index = Buffer.from(received);
  for (const box of boxesIn(index, budget)) {
    if (box.type !== 'trak') {
      clearOwn(index, box);
      continue;
    }
    const inside = [...boxesIn(index, budget, box)];
    const media = boxesOf('mdia', inside, index, budget);
    const handler = media.find(({ type }) => type === 'hdlr');
    if (handler === undefined || index.toString('latin1', handler.body + 8, handler.body + 12) !== 'meta') {
      for (const part of [...inside, ...media]) clearOwn(index, part);
      continue;
    }
    // A track of measurements goes as a whole.
    let left = size;
    for (const [from, to] of samplesOf(index, media, budget)) {
      left -= to - from;
      // Never a byte of the index itself, which is written below; and no file holds more samples than bytes.
      if ((to <= start || from >= end) && left >= 0) await zero(handle, from, Math.min(to, size));
    }
    clear(index, box);
  }
  if (index.equals(received)) return false;
  await write(handle, index, body);
  return true;
}

/** Clears one box of its own description or times. */
function clearOwn(index: Buffer, box: Box): void {
  if (personal.has(box.type)) clear(index, box);
  else if (dated.has(box.type)) clearTimes(index, box);
}

/** Where a track's samples lie in the file: chunk by chunk, from its tables (ISO/IEC 14496-12, 8.7). */
function* samplesOf(
  index: Buffer,
  media: readonly Box[],
  budget: Budget,
): Generator<[from: number, to: number]> {
  const table = boxesOf('stbl', boxesOf('minf', media, index, budget), index, budget);
  const of = (type: string) => table.find(box => box.type === type);
  const [sizes, runs, chunks] = [of('stsz'), of('stsc'), of('stco') ?? of('co64')];
  if (sizes === undefined || runs === undefined || chunks === undefined) return;
  const u32 = ({ body, end }: Box, at: number) => (body + at + 4 <= end ? index.readUInt32BE(body + at) : 0);
  const isLong = chunks.type === 'co64';
  const fixedSize = u32(sizes, 4);
  const listed = fixedSize === 0 ? Math.floor((sizes.end - sizes.body - 12) / 4) : Number.POSITIVE_INFINITY;
  const sampleCount = Math.min(u32(sizes, 8), listed);
  const chunkCount = Math.min(u32(chunks, 4), (chunks.end - chunks.body) / (isLong ? 8 : 4) - 1);
  if (sampleCount > maxSamples || chunkCount > maxSamples) throw unsearchable();
  let run = 0;
  let sample = 0;
  for (let chunk = 0; chunk < chunkCount; chunk += 1) {
    if (run + 1 < u32(runs, 4) && u32(runs, 8 + (run + 1) * 12) <= chunk + 1) run += 1;
    const count = Math.min(u32(runs, 8 + run * 12 + 4), sampleCount - sample);
    let length = fixedSize * count;
    for (let i = 0; fixedSize === 0 && i < count; i += 1) length += u32(sizes, 12 + (sample + i) * 4);
    sample += Math.max(0, count);
    const from = isLong
      ? u32(chunks, 8 + chunk * 8) * 2 ** 32 + u32(chunks, 12 + chunk * 8)
      : u32(chunks, 8 + chunk * 4);
    if (length > 0) yield [from, from + length];
  }
}

/** The boxes in the first of these that is of a type; none where there is none. */
function boxesOf(type: string, boxes: readonly Box[], index: Buffer, budget: Budget): Box[] {
  const found = boxes.find(box => box.type === type);
  return found === undefined ? [] : [...boxesIn(index, budget, found)];
}

/** The boxes in another one, or in a whole buffer; ends where they can no longer be told. */
function* boxesIn(
  bytes: Buffer,
  budget: Budget,
  { body, end }: Pick<Box, 'body' | 'end'> = { body: 0, end: bytes.length },
) {
  for (let at = body; at + 8 <= end; ) {
    takeBox(budget);
    const box = boxAt(bytes, at, end);
    if (box === undefined) return;
    yield box;
    at = box.end;
  }
}

function boxAt(bytes: Buffer, at: number, end: number): Box | undefined {
  if (at + 8 > bytes.length) return undefined;
  const short = bytes.readUInt32BE(at);
  const isLong = short === 1;
  if (isLong && at + 16 > bytes.length) return undefined;
  // 0: to the end of what it is in.
  const size = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : short === 0 ? end - at : short;
  const body = at + (isLong ? 16 : 8);
  if (at + size < body) return undefined;
  return { type: bytes.toString('latin1', at + 4, at + 8), start: at, body, end: Math.min(at + size, end) };
}

function clear(bytes: Buffer, { start, body, end }: Box): void {
  bytes.write('free', start + 4, 'latin1');
  bytes.fill(0, body, end);
}

/** Zero is how a file says that it does not know. The numbers are of 64 bits in version 1. */
function clearTimes(bytes: Buffer, { body, end }: Box): void {
  bytes.fill(0, body + 4, Math.min(end, body + 4 + (bytes[body] === 1 ? 16 : 8)));
}
