import type { Editor } from '../privacy/blank.ts';
import { elementAt, numberOf } from '../privacy/webm.ts';

/** The description of the tracks precedes the pictures. Bytes. */
const headBytes = 64 * 1024;

/** Ids of RFC 9559: the elements that lead to the size of a track, and its parts. */
const opened = new Set([0x18538067 /* Segment */, 0x1654ae6b /* Tracks */, 0xae /* TrackEntry */]);
const [video, width, height, shownWidth, shownHeight, unit] = [0xe0, 0xb0, 0xba, 0x54b0, 0x54ba, 0x54b2];

/** In pixels. */
export type Size = { width: number; height: number };

/** The displayed size of a WebM or Matroska video, in pixels; undefined if its head does not contain it. */
export async function webmSize({ read }: Editor): Promise<Size | undefined> {
  const bytes = await read(0, headBytes);
  for (let at = 0; at < bytes.length; ) {
    const element = elementAt(bytes, at, at);
    if (element === undefined) return undefined;
    const { id, body, end = bytes.length } = element;
    if (id === video) {
      const size = sizeIn(bytes.subarray(body, end));
      if (size !== undefined) return size;
    }
    at = opened.has(id) ? body : end;
  }
  return undefined;
}

/** Depending on its unit, a display size may be a ratio, or in centimetres. */
function sizeIn(bytes: Buffer): Size | undefined {
  const numbers = new Map<number, number>();
  for (let at = 0; at < bytes.length; ) {
    const element = elementAt(bytes, at, at);
    if (element?.end === undefined) break;
    numbers.set(element.id, numberOf(bytes.subarray(element.body, element.end)));
    at = element.end;
  }
  const inPixels = { width: numbers.get(shownWidth), height: numbers.get(shownHeight) };
  return (
    ((numbers.get(unit) ?? 0) === 0 ? sizeOf(inPixels) : undefined) ??
    sizeOf({ width: numbers.get(width), height: numbers.get(height) })
  );
}

function sizeOf({ width: across, height: down }: { width: number | undefined; height: number | undefined }) {
  return across && down ? { width: across, height: down } : undefined;
}
