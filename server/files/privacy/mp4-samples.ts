import { type Box, type Budget, boxAlong, boxesIn, take } from './boxes.ts';
import { soundHeadBytes } from './mp4-entries.ts';
import type { Track } from './mp4-index.ts';
import { incomplete } from './refusals.ts';
import { firstWhere, type Span } from './spans.ts';

const reading =
  (index: Buffer) =>
  ({ body, end }: Box, at: number): number =>
    body + at + 4 <= end ? index.readUInt32BE(body + at) : 0;

type Chunks = { starts: Float64Array; runs: Box | undefined; sizeOf: SizeOf };
/** The bytes of this many samples, from the one with this number. */
type SizeOf = (first: number, count: number) => number;

/**
 * Where the samples of the kept tracks are in the file: chunk by chunk, from their tables (ISO/IEC 14496-12,
 * 8.7). Throws permission-denied if a track lacks a table, and for more samples than are searched.
 */
export function sampleSpans(index: Buffer, tracks: readonly Track[], budget: Budget): Span[] {
  const read = tracks.map(track => ({ track, chunks: chunksOf(index, track, budget) }));
  const starts = sortedStarts(read.flatMap(({ chunks }) => chunks?.starts ?? []));
  return read.flatMap(({ track, chunks }) =>
    track.isKept && chunks !== undefined ? [...spansOf(index, chunks, starts)] : [],
  );
}

/** The beginnings of all chunks: numbers, because there may be half a million. */
function sortedStarts(ofTracks: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(ofTracks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const starts of ofTracks) {
    all.set(starts, at);
    at += starts.length;
  }
  return all.sort();
}

function* spansOf(index: Buffer, { starts, runs, sizeOf }: Chunks, all: Float64Array): Generator<Span> {
  const u32 = reading(index);
  if (runs === undefined) return;
  let run = 0;
  let sample = 0;
  for (const [chunk, from] of starts.entries()) {
    if (run + 1 < u32(runs, 4) && u32(runs, 8 + (run + 1) * 12) <= chunk + 1) run += 1;
    const count = u32(runs, 8 + run * 12 + 4);
    // Sound sizes in QuickTime are ambiguous: the largest, but not beyond the next chunk.
    const next = firstWhere(all.length, index => (all[index] ?? 0) > from);
    const to = Math.min(from + sizeOf(sample, count), all[next] ?? Number.POSITIVE_INFINITY);
    sample += count;
    if (to > from) yield [from, to];
  }
}

/** The tables of a track; undefined if it has no samples here, as in a fragmented video. */
function chunksOf(index: Buffer, track: Track, budget: Budget): Chunks | undefined {
  const u32 = reading(index);
  const stbl = boxAlong(index, budget, track.box, ['mdia', 'minf', 'stbl']);
  const tables = stbl === undefined ? [] : [...boxesIn(index, budget, stbl)];
  const of = (...types: string[]) => tables.find(({ type }) => types.includes(type));
  const sizes = of('stsz', 'stz2');
  const offsets = of('stco', 'co64');
  const runs = of('stsc');
  if (sizes === undefined || offsets === undefined || runs === undefined) {
    // Without its tables, nothing tells which bytes belong to this track.
    if (track.isKept) throw incomplete();
    return undefined;
  }
  const entryBytes = offsets.type === 'co64' ? 8 : 4;
  const chunkCount = Math.min(u32(offsets, 4), Math.floor((offsets.end - offsets.body - 8) / entryBytes));
  take(budget, 'chunks', Math.max(0, chunkCount));
  const starts = new Float64Array(Math.max(0, chunkCount)).map((_, chunk) =>
    entryBytes === 8
      ? u32(offsets, 8 + chunk * 8) * 2 ** 32 + u32(offsets, 12 + chunk * 8)
      : u32(offsets, 8 + chunk * 4),
  );
  return { starts, runs, sizeOf: sizesIn(index, { sizes, stsd: of('stsd') }, track, budget) };
}

function sizesIn(
  index: Buffer,
  { sizes, stsd }: { sizes: Box; stsd: Box | undefined },
  { isKept, isSound }: Track,
  budget: Budget,
): SizeOf {
  const u32 = reading(index);
  const fixed = sizes.type === 'stsz' ? u32(sizes, 4) : 0;
  const total = u32(sizes, 8);
  if (fixed > 0) {
    return (first, count) => {
      const left = Math.min(count, Math.max(0, total - first));
      return Math.max(fixed * left, isSound && stsd !== undefined ? soundBytes(index, stsd, left) : 0);
    };
  }
  // Sizes of 4, 8 or 16 bits in the compact table, of 32 bits in the other one.
  const bits = sizes.type === 'stz2' ? (index[sizes.body + 7] ?? 0) : 32;
  if (![4, 8, 16, 32].includes(bits)) throw incomplete();
  const listed = Math.min(total, Math.floor(((sizes.end - sizes.body - 12) * 8) / bits));
  if (isKept) take(budget, 'samples', Math.max(0, listed));
  const at = sizes.body + 12;
  const one = (sample: number) => {
    if (bits === 32) return index.readUInt32BE(at + sample * 4);
    if (bits === 16) return index.readUInt16BE(at + sample * 2);
    const byte = index[at + Math.floor((sample * bits) / 8)] ?? 0;
    if (bits === 8) return byte;
    return sample % 2 === 0 ? byte >> 4 : byte & 15;
  };
  return (first, count) => {
    let bytes = 0;
    for (let sample = first; sample < Math.min(first + count, listed); sample += 1) bytes += one(sample);
    return bytes;
  };
}

/**
 * The bytes of this many samples of sound by its description: QuickTime's table says 1 for each, whatever
 * their size.
 */
function soundBytes(index: Buffer, stsd: Box, count: number): number {
  const entry = stsd.body + 8;
  if (entry + 72 > index.length) return 0;
  const plain = count * index.readUInt16BE(entry + 24) * Math.ceil(index.readUInt16BE(entry + 26) / 8);
  const head = soundHeadBytes(index, entry, index[stsd.body] === 0);
  if (head === 52) {
    const perPacket = index.readUInt32BE(entry + 36);
    const packet = index.readUInt32BE(entry + 44);
    return Math.max(plain, perPacket > 0 ? Math.ceil(count / perPacket) * packet : 0);
  }
  if (head === 72) {
    const perPacket = index.readUInt32BE(entry + 68);
    return perPacket > 0 ? Math.ceil(count / perPacket) * index.readUInt32BE(entry + 64) : 0;
  }
  return plain;
}
