import { open } from 'node:fs/promises';
import { editorOf } from '../privacy/blank.ts';
import { type Box, type Budget, boxAlong, boxAt, newBudget, take } from '../privacy/boxes.ts';
import { tracksOf, videoTracks } from '../privacy/video-index.ts';
import { type Size, webmSize } from './webm-size.ts';

/** An index that is longer is not read for the size alone. Bytes. */
const maxIndexBytes = 16 * 1024 * 1024;
const ofBoxes: ReadonlySet<string> = new Set(['video/mp4', 'video/quicktime']);
const ofElements: ReadonlySet<string> = new Set(['video/webm', 'video/x-matroska']);

/**
 * How large a video is shown, in pixels and after its orientation, so that a page can reserve its space.
 * Undefined for one that does not say so where MP4, QuickTime and WebM do. It is for videos that have been
 * cleaned: one with too many boxes is refused before.
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

/** Of the first track that shows something. */
function sizeIn(index: Buffer, budget: Budget): Size | undefined {
  for (const { box, isKept, isSound } of tracksOf(index, budget, videoTracks)) {
    const head = isKept && !isSound ? boxAlong(index, budget, box, ['tkhd']) : undefined;
    const size = head && sizeOf(index, head);
    if (size !== undefined) return size;
  }
  return undefined;
}

/** ISO/IEC 14496-12, 8.3.2: the matrix, then width and height with 16 bits behind the point. */
function sizeOf(index: Buffer, { body, end }: Box): Size | undefined {
  const matrix = body + (index[body] === 1 ? 52 : 40);
  if (matrix + 44 > end) return undefined;
  const [across, down] = [matrix + 36, matrix + 40].map(at => Math.round(index.readUInt32BE(at) / 65_536));
  if (!across || !down) return undefined;
  // A quarter turn, as phones held upright write it: nothing of a goes into x.
  const isTurned = index.readInt32BE(matrix) === 0 && index.readInt32BE(matrix + 4) !== 0;
  return isTurned ? { width: down, height: across } : { width: across, height: down };
}
