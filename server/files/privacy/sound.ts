import { type Editor, editing } from './blank.ts';
import { incomplete, tooManyParts } from './refusals.ts';
import { clearFlacBlocks } from './sound-tags.ts';

const windowBytes = 256 * 1024;
/** The most tags of a FLAC, or gaps between frames of an MP3. */
const maxPieces = 10_000;
/** The most places of an MP3 that look like the beginning of a frame and are none. */
const maxFalseFrames = 200_000;
/** The metadata of a FLAC are read into memory: tags, and pictures of up to 16 MiB each. */
const maxFlacHead = 64 * 1024 * 1024;

/**
 * Removes everything from an MP3 or AAC file that is not a frame of sound; tags at its end are cut off.
 * Returns whether there was anything.
 */
export const clearFrames = editing(keepFrames);

/** Removes tags and pictures from a FLAC file, and data that other programs put before and after it. */
export const clearFlac = editing(editor => keepFlac(editor, 0));

/** Whether two bytes may begin a frame or a tag; the second is undefined where reading has ended. */
function isMark(first: number, second: number | undefined): boolean {
  return (first === 0xff && (second ?? 0xff) >= 0xe0) || (first === 0x49 && (second ?? 0x44) === 0x44);
}

/** The header of a frame of MPEG audio or AAC: its length, and the part that all frames of a sound share. */
type Frame = { length: number; kind: number };

async function keepFrames(editor: Editor): Promise<void> {
  let window: { bytes: Buffer; at: number } = { bytes: Buffer.alloc(0), at: 0 };
  const load = async (at: number, bytes: number) => {
    if (at >= window.at && at + bytes <= window.at + window.bytes.length) return;
    window = { bytes: await editor.read(at, windowBytes), at };
  };
  const frameAt = async (at: number) => {
    await load(at, 10);
    return readFrame(window.bytes, at - window.at);
  };
  /**
   * Whether this many frames of one kind follow each other; the last may be truncated by the end of the file.
   */
  const isRun = async (start: number, kind: number) => {
    let at = start;
    for (let count = 0; count < 3 && at < editor.size; count += 1) {
      const frame = await frameAt(at);
      if (frame === undefined || frame.kind !== kind) return false;
      at += frame.length;
    }
    return true;
  };
  /** The next place from here that may be the beginning of a frame or a tag; the end if there is none. */
  const nextPlace = async (from: number) => {
    for (let at = from; at < editor.size; ) {
      await load(at, 10);
      const bytes = window.bytes.subarray(at - window.at);
      const place = bytes.findIndex((byte, index) => isMark(byte, bytes[index + 1]));
      if (place >= 0) return at + place;
      if (bytes.length === 0) break;
      at += bytes.length;
    }
    return editor.size;
  };
  let kind: number | undefined;
  let pieces = 0;
  let falseFrames = 0;
  let keptTo = 0;
  for (let at = 0; at < editor.size; ) {
    const tagBytes = await clearId3(editor, at, load, () => window);
    if (tagBytes > 0) {
      at += tagBytes;
      if ((await editor.read(at, 4)).toString('latin1') === 'fLaC') return await keepFlac(editor, at);
      keptTo = Math.min(at, editor.size);
      continue;
    }
    const frame = await frameAt(at);
    if (frame !== undefined && (frame.kind === kind || (await isRun(at, frame.kind)))) {
      if (at > keptTo) {
        pieces += 1;
        if (pieces > maxPieces) throw tooManyParts();
        await editor.blank(keptTo, at);
      }
      kind = frame.kind;
      at += frame.length;
      keptTo = Math.min(at, editor.size);
    } else {
      falseFrames += 1;
      if (falseFrames > maxFalseFrames) throw tooManyParts();
      at = await nextPlace(at + 1);
    }
  }
  if (kind === undefined) throw incomplete();
  await editor.cut(keptTo);
}

/**
 * Turns an ID3 tag that begins here into padding of the same length, which it returns; 0 if there is none.
 */
async function clearId3(
  editor: Editor,
  at: number,
  load: (at: number, bytes: number) => Promise<void>,
  window: () => { bytes: Buffer; at: number },
): Promise<number> {
  await load(at, 10);
  const head = window().bytes.subarray(at - window().at, at - window().at + 10);
  if (head.length < 10 || head.toString('latin1', 0, 3) !== 'ID3' || (head[3] ?? 255) > 4) return 0;
  const size = [6, 7, 8, 9].reduce((sum, index) => sum * 128 + ((head[index] ?? 0) & 0x7f), 0);
  const footer = ((head[5] ?? 0) & 0x10) === 0 ? 0 : 10;
  const body = size + footer;
  const lengths = [21, 14, 7, 0].map(shift => (body >> shift) & 0x7f);
  await editor.put(Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, ...lengths]), at);
  await editor.blank(at + 10, at + 10 + body);
  return body + 10;
}

const bitrates = [
  [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const;

/** The frame of MPEG audio (ISO/IEC 11172-3, 2.4.2.3) or AAC (ADTS) that begins here. */
function readFrame(bytes: Buffer, at: number): Frame | undefined {
  if (at + 7 > bytes.length || bytes[at] !== 0xff || ((bytes[at + 1] ?? 0) & 0xe0) !== 0xe0) return undefined;
  const head = bytes.readUInt32BE(at);
  const layer = 4 - ((head >>> 17) & 3);
  if (layer === 4) {
    // The length has 13 bits, after profile, rate and channels.
    const length = ((head & 3) << 11) | ((bytes[at + 4] ?? 0) << 3) | ((bytes[at + 5] ?? 0) >>> 5);
    const isAac = ((head >>> 20) & 1) === 1 && ((head >>> 10) & 15) < 13 && length >= 7;
    return isAac ? { length, kind: head & 0xfffefc00 } : undefined;
  }
  const version = (head >>> 19) & 3;
  const bitrate = (head >>> 12) & 15;
  const rate = (head >>> 10) & 3;
  if (version === 1 || rate === 3 || bitrate === 0 || bitrate === 15) return undefined;
  const isFirst = version === 3;
  const kilobits = bitrates[isFirst ? layer - 1 : layer === 1 ? 3 : 4]?.[bitrate - 1] ?? 0;
  const hertz = ([44_100, 48_000, 32_000][rate] ?? 0) / (isFirst ? 1 : version === 2 ? 2 : 4);
  const padding = (head >>> 9) & 1;
  const length =
    layer === 1
      ? (Math.floor((12_000 * kilobits) / hertz) + padding) * 4
      : Math.floor(((layer === 3 && !isFirst ? 72_000 : 144_000) * kilobits) / hertz) + padding;
  return { length, kind: head & 0xfffe0c00 };
}

async function keepFlac(editor: Editor, start: number): Promise<void> {
  let end = start + 4;
  let isLast = false;
  for (let blocks = 0; !isLast; blocks += 1) {
    const head = await editor.read(end, 4);
    if (head.length < 4) throw incomplete();
    if (blocks > maxPieces) throw tooManyParts();
    isLast = head.readUInt8(0) >= 0x80;
    end += 4 + head.readUIntBE(1, 3);
  }
  if (end - start > maxFlacHead) throw tooManyParts();
  const head = await editor.read(start + 4, end - start - 4);
  clearFlacBlocks(head, 0);
  await editor.put(head, start + 4);
  // Sound begins with the sync code of a frame.
  if (((await editor.read(end, 2)).toString('hex') || 'fff8').slice(0, 3) !== 'fff') throw incomplete();
  for (let pieces = 0; pieces < maxPieces; pieces += 1) {
    const tag = await tagBefore(editor);
    if (tag === 0) return;
    await editor.cut(Math.max(end, editor.size - tag));
  }
  throw tooManyParts();
}

/** The length of the tag at the end of a file (ID3 of either version, APE, Lyrics3); 0 for none. */
async function tagBefore({ read, size }: Editor): Promise<number> {
  const tail = await read(Math.max(0, size - 160), 160);
  const text = (fromEnd: number, bytes: number) =>
    tail.toString('latin1', Math.max(0, tail.length - fromEnd), Math.max(0, tail.length - fromEnd + bytes));
  const at = (fromEnd: number) => tail.length - fromEnd;
  if (text(128, 3) === 'TAG') return 128;
  if (text(32, 8) === 'APETAGEX') {
    return tail.readUInt32LE(at(20)) + ((tail.readUInt32LE(at(12)) & 0x80000000) === 0 ? 0 : 32);
  }
  if (text(9, 9) === 'LYRICS200') return Number(/^\d{6}$/.exec(text(15, 6))?.[0] ?? 0) + 15;
  if (text(10, 3) === '3DI') {
    return [4, 3, 2, 1].reduce((sum, index) => sum * 128 + ((tail[at(index)] ?? 0) & 0x7f), 0) + 20;
  }
  return 0;
}
