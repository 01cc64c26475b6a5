import { type Editor, editing } from './blank.ts';
import { incomplete, tooManyParts, uncleanable } from './refusals.ts';
import { clearFlacBlocks, clearXiphHeaders } from './sound-tags.ts';

/** Bytes read at once: a recording without an index consists mostly of elements of a few hundred bytes. */
const windowBytes = 64 * 1024;
/** The longest description of a track that is read: codecs have settings of some kilobytes. */
const maxTrackBytes = 1024 * 1024;
/** Cameras write two or three; each is read twice. */
const maxTracks = 100;
/** Of these and of voids no video has as many; a large file of only such elements would take an hour. */
const maxCleared = 50_000;

/** Elements of Matroska (RFC 9559) that playing needs, by their ids: those that are kept in part ... */
const opened = new Set([
  0x1a45dfa3 /* EBML */, 0x18538067 /* Segment */, 0x114d9b74 /* SeekHead */, 0x4dbb /* Seek */,
  0x1549a966 /* Info */, 0x1654ae6b /* Tracks */, 0xae /* TrackEntry */, 0xe0 /* Video */, 0xe1 /* Audio */,
  0x55b0 /* Colour */, 0x55d0 /* MasteringMetadata */, 0x7670 /* Projection */,
  0x41e4 /* BlockAdditionMapping */, 0x6d80 /* ContentEncodings */, 0x6240 /* ContentEncoding */,
  0x5034 /* ContentCompression */, 0x1f43b675 /* Cluster */, 0xa0 /* BlockGroup */,
  0x75a1 /* BlockAdditions */, 0xa6 /* BlockMore */, 0x1c53bb6b /* Cues */, 0xbb /* CuePoint */,
  0xb7 /* CueTrackPositions */,
]);
/** ... those that are kept unchanged ... */
const kept = new Set([
  // EBML: versions and the type of document.
  0x4286, 0x42f7, 0x42f2, 0x42f3, 0x4282, 0x4287, 0x4285,
  // Seek, Info: places, scale and length.
  0x53ab, 0x53ac, 0x2ad7b1, 0x4489,
  // TrackEntry: numbers, flags, durations, languages, codec.
  0xd7, 0x73c5, 0x83, 0xb9, 0x88, 0x55aa, 0x9c, 0x6de7, 0x6df8, 0x23e383, 0x234e7a, 0x55ee, 0x23314f,
  0x22b59c, 0x22b59d, 0x86, 0x63a2, 0x56aa, 0x56bb, 0x41f0, 0x41e7, 0x41ed, 0x5031, 0x5032, 0x5033, 0x4254,
  0x4255,
  // Video, Colour, MasteringMetadata, Projection.
  0x9a, 0x9d, 0x53b8, 0x53c0, 0xb0, 0xba, 0x54aa, 0x54bb, 0x54cc, 0x54dd, 0x54b0, 0x54ba, 0x54b2, 0x54b3,
  0x2eb524, 0x55b1, 0x55b2, 0x55b3, 0x55b4, 0x55b5, 0x55b6, 0x55b7, 0x55b8, 0x55b9, 0x55ba, 0x55bb, 0x55bc,
  0x55bd, 0x55d1, 0x55d2, 0x55d3, 0x55d4, 0x55d5, 0x55d6, 0x55d7, 0x55d8, 0x55d9, 0x55da, 0x7671, 0x7672,
  0x7673, 0x7674, 0x7675,
  // Audio.
  0xb5, 0x78b5, 0x9f, 0x6264,
  // Cluster, BlockGroup: times, blocks and what they refer to.
  0xe7, 0xa7, 0xab, 0xa3, 0xa1, 0x9b, 0xfa, 0xfb, 0xa4, 0x75a2, 0xee, 0xa5,
  // Cues.
  0xb3, 0xf7, 0xf1, 0xf0, 0xb2, 0x5378, 0xea,
]);
/** ... and the names of the writing programs, which must be present and may be empty. */
const emptied = new Set([0x4d80, 0x5741]);

const [trackEntry, blockGroup, simpleBlock, block, codecPrivate, voidId] = [
  0xae, 0xa0, 0xa3, 0xa1, 0x63a2, 0xec,
];

/** Codecs whose frames contain nothing but picture or sound. */
const codecs = /^(?:V_(?:VP[89]|AV1|MPEG|THEORA|FFV1|PRORES)|A_)/;

/** `end` is undefined for an element of unknown length: a recording that was streamed to disk. */
type Element = { id: number; body: number; end: number | undefined };
type Track = { number: number; type: number; codec: string };

/**
 * Removes everything from a WebM or Matroska file that does not play. Kept are its tracks of pictures and
 * sound with their blocks, and what playing them needs. Everything else (tags, attachments, chapters,
 * subtitles, names, dates, unknown elements) becomes a void of the same length, so nothing moves. Returns
 * whether there was anything. Throws permission-denied if there is more to remove than any video has, and if
 * it is unclear what plays.
 */
export const clearWebm = editing(clearElements);

async function clearElements(editor: Editor): Promise<void> {
  const { size } = editor;
  const tracks = new Map<number, Track>();
  let current: Track | undefined;
  let trackEnd = 0;
  let trackCount = 0;
  let cleared = 0;
  let read: { bytes: Buffer; at: number } = { bytes: Buffer.alloc(0), at: 0 };
  for (let at = 0; at < size; ) {
    if (at < read.at || at + 32 > read.at + read.bytes.length)
      read = { bytes: await editor.read(at, windowBytes), at };
    const element = elementAt(read.bytes, at - read.at, at);
    if (element === undefined) return await editor.blank(at, size);
    const { id, body, end } = element;
    let isKept = opened.has(id) || kept.has(id) || emptied.has(id);
    if (end === undefined && !opened.has(id)) return await editor.blank(at, size);
    if (id === trackEntry) {
      trackCount += 1;
      // One inside another would be read once for each level.
      if (at < trackEnd || trackCount > maxTracks) throw tooManyParts();
      trackEnd = end ?? body;
      current = readTrack(await trackBytes(editor, element));
      isKept = current.type === 1 || current.type === 2;
      if (isKept && !codecs.test(current.codec)) throw uncleanable();
      if (isKept) tracks.set(current.number, current);
    } else if (id === simpleBlock || id === block || id === blockGroup) {
      if (tracks.size === 0) throw incomplete();
      const number = blockTrack(read.bytes, { ...element, body: body - read.at }, id === blockGroup);
      isKept = number !== undefined && tracks.has(number);
    } else if (id === codecPrivate && current !== undefined) {
      await clearSettings(editor, element, current.codec);
    }
    if (!isKept) {
      cleared += 1;
      if (cleared > maxCleared) throw tooManyParts();
    }
    if (!isKept && id !== voidId) await makeVoid(editor, at, Math.min(end ?? size, size));
    else if (emptied.has(id) || id === voidId) await editor.blank(body, end ?? size);
    at = isKept && opened.has(id) ? body : (end ?? size);
  }
}

async function trackBytes(editor: Editor, { body, end = body }: Element): Promise<Buffer> {
  if (end - body > maxTrackBytes) throw tooManyParts();
  return await editor.read(body, end - body);
}

function readTrack(bytes: Buffer): Track {
  const track: Track = { number: 0, type: 0, codec: '' };
  for (let at = 0; at < bytes.length; ) {
    const element = elementAt(bytes, at, at);
    if (element?.end === undefined) break;
    const { id, body, end } = element;
    const value = bytes.subarray(body, end);
    if (id === 0xd7) track.number = numberOf(value);
    if (id === 0x83) track.type = numberOf(value);
    if (id === 0x86) [track.codec = ''] = value.toString('latin1').split('\0', 1);
    at = end;
  }
  return track;
}

export const numberOf = (bytes: Buffer) => bytes.subarray(0, 8).reduce((sum, byte) => sum * 256 + byte, 0);

/**
 * The track of a block, which begins with its number; a group's block comes first. `body` is a position in
 * `bytes`.
 */
function blockTrack(bytes: Buffer, { body }: Element, isGroup: boolean): number | undefined {
  const inside = isGroup ? elementAt(bytes, body, body) : undefined;
  if (isGroup && inside?.id !== block) return undefined;
  const at = inside?.body ?? body;
  const first = bytes[at];
  if (first === undefined) return undefined;
  return lengthAt(bytes, at)?.value;
}

/** Xiph codecs have tags in their settings. */
async function clearSettings(editor: Editor, { body, end = body }: Element, codec: string): Promise<void> {
  if (end - body > maxTrackBytes) throw tooManyParts();
  const bytes = await editor.read(body, end - body);
  if (/^(?:A_VORBIS|V_THEORA)$/.test(codec)) clearXiphHeaders(bytes);
  else if (codec === 'A_FLAC') clearFlacBlocks(bytes, bytes.toString('latin1', 0, 4) === 'fLaC' ? 4 : 0);
  await editor.put(bytes, body);
}

/** An id, then a length; the leading zeros of each encode its size. `place` is the position in the file. */
export function elementAt(bytes: Buffer, at: number, place: number): Element | undefined {
  const idBytes = Math.clz32(bytes[at] ?? 0) - 23;
  if (idBytes > 4) return undefined;
  const length = lengthAt(bytes, at + idBytes);
  if (length === undefined) return undefined;
  const body = place + idBytes + length.bytes;
  const end = length.isUnknown ? undefined : body + length.value;
  return { id: bytes.readUIntBE(at, idBytes), body, end };
}

/** A number whose leading zeros encode its size. All ones: unknown. */
function lengthAt(bytes: Buffer, at: number) {
  const first = bytes[at] ?? 0;
  const length = Math.clz32(first) - 23;
  if (length > 8 || at + length > bytes.length) return undefined;
  let value = first - 2 ** (8 - length);
  for (let next = 1; next < length; next += 1) value = value * 256 + (bytes[at + next] ?? 0);
  return { value, bytes: length, isUnknown: value >= 2 ** (7 * length) - 1 };
}

async function makeVoid(editor: Editor, from: number, to: number): Promise<void> {
  const head = Buffer.alloc(to - from < 129 ? 2 : 9);
  const length = to - from - head.length;
  if (length < 0) return await editor.blank(from, to);
  if (head.length === 2) head.writeUInt8(0x80 | length, 1);
  else head.writeUIntBE(length, 3, 6);
  if (head.length === 9) head[1] = 1;
  head[0] = voidId;
  await editor.put(head, from);
  await editor.blank(from + head.length, to);
}
