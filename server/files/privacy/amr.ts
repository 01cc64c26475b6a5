import { type Editor, editing } from './blank.ts';
import { incomplete, uncleanable } from './refusals.ts';

const windowBytes = 256 * 1024;

/** How AMR files begin, and how many bytes follow a frame header of each type (RFC 4867, 5.1 and 5.3). */
const forms: readonly [start: string, bodies: ReadonlyMap<number, number>][] = [
  ['#!AMR\n', new Map([12, 13, 15, 17, 19, 20, 26, 31, 5].entries()).set(15, 0)],
  ['#!AMR-WB\n', new Map([17, 23, 32, 36, 40, 46, 50, 58, 60, 5].entries()).set(14, 0).set(15, 0)],
];

/**
 * Data after the sound may look like a few more frames. This many are cut off with it: a fifth of a second.
 */
const doubtfulFrames = 10;

/**
 * Cuts off everything after an AMR file's frames of sound: it has no other place for hidden data. Returns
 * whether there was anything. Throws permission-denied for several channels.
 */
export const clearAmr = editing(keepFrames);

async function keepFrames(editor: Editor): Promise<void> {
  const head = (await editor.read(0, 9)).toString('latin1');
  const form = forms.find(([start]) => head.startsWith(start));
  if (form === undefined) throw uncleanable();
  const [{ length: start }, bodies] = form;
  let window: { bytes: Buffer; at: number } = { bytes: Buffer.alloc(0), at: 0 };
  let at = start;
  /** The starts of the last frames, oldest first. */
  const begins: number[] = [];
  while (at < editor.size) {
    if (at >= window.at + window.bytes.length) window = { bytes: await editor.read(at, windowBytes), at };
    const first = window.bytes.readUInt8(at - window.at);
    // Padding is zero.
    const body = (first & 0x83) === 0 ? bodies.get((first >> 3) & 15) : undefined;
    if (body === undefined || at + 1 + body > editor.size) break;
    begins.push(at);
    if (begins.length > doubtfulFrames) begins.shift();
    at += 1 + body;
  }
  if (at < editor.size) at = begins[0] ?? start;
  if (at === start) throw incomplete();
  await editor.cut(at);
}
