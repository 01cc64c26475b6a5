import { type Editor, editing } from './blank.ts';
import { type Box, type Budget, boxAt, newBudget, take } from './boxes.ts';
import { cleanFragment, type FragmentDefaults, fragmentDefaults } from './mp4-fragments.ts';
import { cleanIndex, playedTracks, tracksOf } from './mp4-index.ts';
import { sampleSpans } from './mp4-samples.ts';
import { incomplete, tooManyParts } from './refusals.ts';
import { between, joined, type Span } from './spans.ts';

/** The index of a video is read into memory; no video within our size limit has a longer one. */
const maxIndexBytes = 64 * 1024 * 1024;
/** The brands of a file: four letters each. */
const maxBrandBytes = 256;

/**
 * Removes everything from an MP4, QuickTime or M4A file that does not play. Kept are its tracks of pictures
 * and sound, the tables that playing needs, and of the data the samples of these tracks. Everything else
 * (descriptions, places, devices, times, names, tracks of measurements, subtitles and chapters, gaps and
 * trailing data) becomes free space or zeros in place, so no offset changes. Returns whether there was
 * anything. The declared brand is ignored.
 *
 * Throws permission-denied if it has more parts than are searched, is truncated before it can play, or if it
 * is unclear what plays.
 */
export const clearMp4 = editing(editor =>
  clearBoxes(editor).catch(error => {
    // A read past the end: a box is shorter than its content.
    throw error instanceof RangeError ? incomplete() : error;
  }),
);

async function clearBoxes(editor: Editor): Promise<void> {
  const budget = newBudget();
  const boxes = await topBoxes(editor, budget);
  const data = boxes.filter(({ type }) => type === 'mdat');
  const index = boxes.find(({ type }) => type === 'moov');
  let spans: Span[] = [];
  let defaults: FragmentDefaults = new Map();
  if (index !== undefined) {
    const bytes = await bodyOf(editor, index);
    const tracks = tracksOf(bytes, budget, playedTracks);
    defaults = fragmentDefaults(bytes, tracks, budget);
    spans = sampleSpans(bytes, tracks, budget);
    cleanIndex(bytes, tracks, budget);
    await editor.put(bytes, index.body);
  }
  for (const box of boxes) {
    if (box.type === 'moof') {
      for (const span of await clearFragment(editor, box, defaults, budget)) spans.push(span);
    } else if (box !== index) await clearOther(editor, box);
  }
  await clearBetween(editor, joined(spans), data);
  const end = boxes.at(-1)?.end ?? 0;
  await editor.blank(end, editor.size);
}

async function topBoxes(editor: Editor, budget: Budget): Promise<Box[]> {
  const boxes: Box[] = [];
  for (let at = 0; at + 8 <= editor.size; ) {
    // Each takes a read of the file.
    take(budget, 'boxes', 4);
    const box = boxAt(await editor.read(at, 16), 0, editor.size - at);
    if (box === undefined) break;
    boxes.push({ type: box.type, start: at, body: at + box.body, end: at + box.end });
    at += box.end;
  }
  return boxes;
}

async function bodyOf(editor: Editor, { body, end }: Box): Promise<Buffer> {
  if (end - body > maxIndexBytes) throw tooManyParts();
  return await editor.read(body, end - body);
}

async function clearFragment(
  editor: Editor,
  { start, end }: Box,
  defaults: FragmentDefaults,
  budget: Budget,
): Promise<Span[]> {
  const bytes = await bodyOf(editor, { type: 'moof', start, body: start, end });
  const spans = cleanFragment(bytes, start, defaults, budget);
  await editor.put(bytes, start);
  return spans;
}

/** Indexes of fragments are numbers. */
const kept = new Set(['mdat', 'sidx', 'mfra']);
/** Boxes that are free space already, and may keep their name. */
const free = new Set(['free', 'skip', 'wide']);

async function clearOther(editor: Editor, { type, start, body, end }: Box): Promise<void> {
  if (kept.has(type)) return;
  if (type === 'ftyp' || type === 'styp') return await editor.blank(body + maxBrandBytes, end);
  if (!free.has(type)) await editor.put(Buffer.from('free', 'latin1'), start + 4);
  await editor.blank(body, end);
}

/**
 * Keeps only the samples of the kept tracks in the data. Throws permission-denied if some are outside of it.
 */
async function clearBetween(editor: Editor, spans: readonly Span[], data: readonly Box[]): Promise<void> {
  let outside = spans.reduce((sum, [from, to]) => sum + length([from, to], [0, editor.size]), 0);
  const isEmpty = outside === 0;
  for (const { body, end } of data) {
    // Without an index nothing tells what of this plays.
    if (isEmpty && end > body) throw incomplete();
    outside -= end - body;
    const gaps = [...between(spans, [body, end])];
    await editor.blankAll(gaps);
    for (const [from, to] of gaps) outside += to - from;
  }
  if (outside > 0) throw incomplete();
}

const length = ([from, to]: Span, [least, most]: Span) =>
  Math.max(0, Math.min(to, most) - Math.max(from, least));
