import { type Editor, editing } from './blank.ts';
import { incomplete, tooManyParts, uncleanable } from './refusals.ts';

const windowBytes = 512 * 1024;
/** The longest page: a header, 255 lengths of segments, and these. */
const maxPageBytes = 27 + 255 + 255 * 255;
/** The most pages that are changed in one file: those of its tags, which may contain a picture. */
const maxChanged = 20_000;

/** How a codec's first packet begins, and what precedes the entries of its comment. */
const codecs: readonly [start: string, magic: string][] = [
  ['\x01vorbis', '\x03vorbis'],
  ['\x80theora', '\x81theora'],
  ['OpusHead', 'OpusTags'],
  ['Speex   ', ''],
  ['OVP80', 'OVP80\x02 '],
  ['\x7fFLAC', ''],
];
/** Streams without pictures or sound, and one that has been cleared. */
const removed = /^(?:fishead\0|fisbone\0|\x80kate|CMML|Annodex|\0*$)/;

/**
 * What to do with the packets of a stream: `magic` is the beginning of its comment; undefined for a stream to
 * remove.
 */
type Stream = { codec: string; magic: string | undefined; packet: number; at: number; isHead: boolean };

/**
 * Removes the tags of an Ogg file and the pictures in them: comments become empty at the same length, streams
 * without sound or pictures become zeros, other data are cut off or become zeros. Returns whether there was
 * anything. Throws permission-denied for unknown codecs.
 */
export const clearOgg = editing(keepPages);

async function keepPages(editor: Editor): Promise<void> {
  const streams = new Map<number, Stream>();
  let window: { bytes: Buffer; at: number } = { bytes: Buffer.alloc(0), at: 0 };
  let changed = 0;
  let keptTo = 0;
  for (let at = 0; at + 27 <= editor.size; ) {
    const isLoaded =
      at >= window.at && Math.min(editor.size, at + maxPageBytes) <= window.at + window.bytes.length;
    if (!isLoaded) window = { bytes: await editor.read(at, windowBytes), at };
    const length = pageBytes(window.bytes, at - window.at);
    if (length === undefined) {
      at += 1;
      continue;
    }
    if (at > keptTo) changed += 1;
    await editor.blank(keptTo, at);
    const received = window.bytes.subarray(at - window.at, at - window.at + length);
    const page = Buffer.from(received);
    clearPage(page, streams);
    if (!page.equals(received)) {
      changed += 1;
      page.writeUInt32LE(0, 22);
      page.writeUInt32LE(checksum(page), 22);
      await editor.put(page, at);
    }
    if (changed > maxChanged) throw tooManyParts();
    at += length;
    keptTo = at;
  }
  if (keptTo === 0) throw incomplete();
  await editor.cut(keptTo);
}

/** The length of the page that begins here (RFC 3533, 6); a truncated one ends with the file. */
function pageBytes(bytes: Buffer, at: number): number | undefined {
  if (bytes[at] !== 0x4f || bytes.toString('latin1', at, at + 5) !== 'OggS\0' || at + 27 > bytes.length)
    return undefined;
  const pieces = bytes.readUInt8(at + 26);
  let length = 27 + pieces;
  for (const piece of bytes.subarray(at + 27, at + 27 + pieces)) length += piece;
  return Math.min(length, bytes.length - at);
}

function clearPage(page: Buffer, streams: Map<number, Stream>): void {
  const flags = page.readUInt8(5);
  const serial = page.readUInt32LE(14);
  const pieces = page.readUInt8(26);
  let at = 27 + pieces;
  if ((flags & 2) !== 0) streams.set(serial, newStream(page.subarray(at)));
  const stream = streams.get(serial);
  if (stream === undefined) {
    page.fill(0, at);
    return;
  }
  for (const length of page.subarray(27, 27 + pieces)) {
    clearPiece(page.subarray(at, at + length), stream);
    at += length;
    stream.at += length;
    if (length === 255) continue;
    stream.packet += 1;
    stream.at = 0;
  }
}

function newStream(first: Buffer): Stream {
  const start = first.toString('latin1', 0, 16);
  const known = codecs.find(([begins]) => start.startsWith(begins));
  if (known === undefined && !removed.test(start)) throw uncleanable();
  return { codec: known?.[0] ?? '', magic: known?.[1], packet: 0, at: 0, isHead: true };
}

/** Clears a piece of a packet; `stream` says of which, and where in it. */
function clearPiece(piece: Buffer, stream: Stream): void {
  const { codec, magic, packet, at } = stream;
  if (magic === undefined) {
    piece.fill(0);
    return;
  }
  if (codec === '\x7fFLAC') {
    // Blocks of metadata, each with its kind and length, until the first frame.
    if (packet > 0 && at === 0 && piece[0] === 0xff) stream.isHead = false;
    if (packet > 0 && stream.isHead) piece.fill(0, at === 0 ? Math.min(4, piece.length) : 0);
    return;
  }
  if (packet !== 1) return;
  // No program, no entries, then the framing bit.
  const empty = Buffer.concat([Buffer.from(magic, 'latin1'), Buffer.alloc(8), Buffer.from([1])]);
  piece.fill(0);
  if (codec === 'OpusHead') empty[16] = 0;
  empty.copy(piece, 0, Math.min(at, empty.length));
}

const remainders = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) value = (value << 1) ^ (value < 0 ? 0x04c11db7 : 0);
  return value >>> 0;
});

/** The checksum of a page whose checksum field is 0: CRC-32 without reflection. */
function checksum(page: Buffer): number {
  let sum = 0;
  for (const byte of page) sum = ((sum << 8) ^ (remainders[((sum >>> 24) ^ byte) & 255] ?? 0)) >>> 0;
  return sum;
}
