import {
  asItIs,
  type Box,
  type Budget,
  boxAlong,
  boxesIn,
  containing,
  freeBox,
  type Rule,
  table,
} from './boxes.ts';
import type { Track } from './mp4-index.ts';
import { incomplete, uncleanable } from './refusals.ts';
import type { Span } from './spans.ts';

/** For each track of a fragmented video: whether it is kept, and the default size of its samples. */
export type FragmentDefaults = ReadonlyMap<number, { isKept: boolean; sampleBytes: number }>;

const run: Rule = (bytes, box, budget) => {
  const { entryBytes, head } = runForm(bytes.readUInt32BE(box.body));
  // The count precedes the defaults.
  const count = bytes.readUInt32BE(box.body + 4);
  table(0, 0)(bytes, { ...box, body: Math.min(box.end, box.body + head + count * entryBytes) }, budget);
};

const trackParts = new Map<string, Rule>([
  ['tfhd', asItIs],
  ['tfdt', asItIs],
  ['trun', run],
  ['sdtp', asItIs],
]);

/** The layout of a run of samples, by its flags (ISO/IEC 14496-12, 8.8.8). */
function runForm(flags: number) {
  const has = (flag: number) => ((flags & flag) === 0 ? 0 : 4);
  const sizeAt = has(0x100);
  return {
    head: 8 + has(1) + has(4),
    entryBytes: sizeAt + has(0x200) + has(0x400) + has(0x800),
    sizeAt: has(0x200) === 0 ? undefined : sizeAt,
  };
}

export function fragmentDefaults(index: Buffer, tracks: readonly Track[], budget: Budget): FragmentDefaults {
  const defaults = new Map(tracks.map(({ id, isKept }) => [id, { isKept, sampleBytes: 0 }]));
  const mvex = [...boxesIn(index, budget)].find(({ type }) => type === 'mvex');
  for (const { type, body, end } of mvex === undefined ? [] : boxesIn(index, budget, mvex)) {
    const track =
      type === 'trex' && body + 20 <= end ? defaults.get(index.readUInt32BE(body + 4)) : undefined;
    if (track !== undefined) track.sampleBytes = index.readUInt32BE(body + 16);
  }
  return defaults;
}

/**
 * Clears a fragment's index (`moof`, as a whole in `bytes`, which begins at `place` in the file) in place,
 * and returns where the samples of its kept tracks are. Throws permission-denied if that cannot be
 * determined.
 */
export function cleanFragment(
  bytes: Buffer,
  place: number,
  defaults: FragmentDefaults,
  budget: Budget,
): Span[] {
  const spans: Span[] = [];
  const inside = [...boxesIn(bytes, budget)][0];
  if (inside === undefined) return spans;
  let next: number | undefined = place;
  const track: Rule = (_, box) => {
    const head = boxAlong(bytes, budget, box, ['tfhd']);
    if (head === undefined || head.body + 8 > head.end) throw incomplete();
    const known = defaults.get(bytes.readUInt32BE(head.body + 4));
    if (known === undefined || !known.isKept) {
      freeBox(bytes, box);
      // The next track's data may begin where this one's end.
      next = undefined;
      return;
    }
    next = readTrack(bytes, box, head, { place, next, sampleBytes: known.sampleBytes, budget, spans });
    containing(trackParts)(bytes, box, budget);
  };
  containing(
    new Map<string, Rule>([
      ['mfhd', asItIs],
      ['traf', track],
    ]),
  )(bytes, inside, budget);
  return spans;
}

/** Reads the runs of one track of a fragment. Returns where the last one ends. */
function readTrack(
  bytes: Buffer,
  box: Box,
  head: Box,
  {
    place,
    next,
    sampleBytes,
    budget,
    spans,
  }: { place: number; next: number | undefined; sampleBytes: number; budget: Budget; spans: Span[] },
): number {
  const flags = bytes.readUInt32BE(head.body);
  let at = head.body + 8;
  const take = (flag: number, length: number) => {
    if ((flags & flag) === 0) return undefined;
    const value = length === 8 ? Number(bytes.readBigUInt64BE(at)) : bytes.readUInt32BE(at);
    at += length;
    return value;
  };
  const offset = take(1, 8);
  take(2, 4);
  take(8, 4);
  const bytesEach = take(0x10, 4) ?? sampleBytes;
  const base = offset ?? ((flags & 0x20000) === 0 ? next : place);
  let end = base;
  for (const { type, body, end: runEnd } of boxesIn(bytes, budget, box)) {
    if (type !== 'trun') continue;
    if (body + 8 > runEnd) throw incomplete();
    const runFlags = bytes.readUInt32BE(body);
    const { head: headBytes, entryBytes, sizeAt } = runForm(runFlags);
    const count = bytes.readUInt32BE(body + 4);
    if (body + headBytes + count * entryBytes > runEnd) throw incomplete();
    // Without an offset a run follows the previous one, which may belong to a removed track.
    const from =
      (runFlags & 1) === 0 ? end : base === undefined ? undefined : base + bytes.readInt32BE(body + 8);
    if (from === undefined) throw uncleanable();
    end = from;
    for (let entry = 0; entry < count && sizeAt !== undefined; entry += 1) {
      end += bytes.readUInt32BE(body + headBytes + entry * entryBytes + sizeAt);
    }
    if (sizeAt === undefined) end += count * bytesEach;
    spans.push([from, end]);
  }
  if (end === undefined) throw uncleanable();
  return end;
}
