import { open } from 'node:fs/promises';
import { editorOf } from '../privacy/blank.ts';
import { type Box, type Budget, boxAlong, boxAt, newBudget, take } from '../privacy/boxes.ts';
import { playedTracks, tracksOf } from '../privacy/mp4-index.ts';
import { type Size, webmSize } from './webm-size.ts';

/** A longer index is not read only for the size. Bytes. */
const maxIndexBytes = 16 * 1024 * 1024;
const ofBoxes: ReadonlySet<string> = new Set(['video/mp4', 'video/quicktime']);
const ofElements: ReadonlySet<string> = new Set(['video/webm', 'video/x-matroska']);

/**
 * The displayed size of a video in pixels, after its orientation, so that a page can reserve its space.
 * Undefined if it is not where MP4, QuickTime and WebM have it. Only for cleaned videos: those with too many
 * boxes are refused before.
 */
export async function videoSize(path: string, type: string): Promise<Size | undefined> {
  if (!ofBoxes.has(type) && !ofElements.has(type)) return undefined;
  await using handle = await open(path);
  const editor = await editorOf(handle);
  if (ofElements.has(type)) return await webmSize(editor);
  const { read, size } = editor;
  const budget = newBudget();
  for (let at = 0; at + 8 <= size; ) {
    take(budget, 'boxes', 4);
    const box = boxAt(await read(at, 16), 0, size - at);
    if (box === undefined) return undefined;
    if (box.type === 'moov') {
      if (box.end - box.body > maxIndexBytes) return undefined;
      return sizeIn(await read(at + box.body, box.end - box.body), budget);
    }
    at += box.end;
  }
  return undefined;
}

function sizeIn(index: Buffer, budget: Budget): Size | undefined {
  for (const { box, isKept, isSound } of tracksOf(index, budget, playedTracks)) {
    const head = isKept && !isSound ? boxAlong(index, budget, box, ['tkhd']) : undefined;
    const size = head && sizeOf(index, head);
    if (size !== undefined) return size;
  }
  return undefined;
}

/** ISO/IEC 14496-12, 8.3.2: the matrix, then width and height as 16.16 fixed-point numbers. */
function sizeOf(index: Buffer, { body, end }: Box): Size | undefined {
  const matrix = body + (index[body] === 1 ? 52 : 40);
  if (matrix + 44 > end) return undefined;
  const [across, down] = [matrix + 36, matrix + 40].map(at => Math.round(index.readUInt32BE(at) / 65_536));
  if (!across || !down) return undefined;
  // A quarter turn, as in videos of a phone held upright: `a` of the matrix is zero.
  const isTurned = index.readInt32BE(matrix) === 0 && index.readInt32BE(matrix + 4) !== 0;
  return isTurned ? { width: down, height: across } : { width: across, height: down };
}
