import { tooManyParts } from './refusals.ts';

/**
 * A box of ISO base media (ISO/IEC 14496-12, 4.2) or an atom of QuickTime: its position, and that of its
 * body.
 */
export type Box = { type: string; start: number; body: number; end: number };

/** How many more boxes, samples and chunks of samples of a file are read. */
export type Budget = { boxes: number; samples: number; chunks: number };

/** An hour in fragments of one second has half as many. A large file of tiny boxes would take an hour. */
const maxBoxes = 400_000;
/** More than nine hours of the smallest frames of sound. */
const maxSamples = 2_000_000;
/** An hour of 60 pictures and 47 pieces of sound a second, each in a chunk of its own, has 385,200. */
const maxChunks = 500_000;

export const newBudget = (): Budget => ({ boxes: maxBoxes, samples: maxSamples, chunks: maxChunks });

/**
 * Counts boxes, samples or chunks. Throws permission-denied for more than any video has: the rest would keep
 * its hidden data.
 */
export function take(budget: Budget, kind: keyof Budget, count = 1): void {
  budget[kind] -= count;
  if (budget[kind] < 0) throw tooManyParts();
}

/** The boxes in another one, or in a whole buffer; stops where no valid box follows. */
export function* boxesIn(
  bytes: Buffer,
  budget: Budget,
  { body, end }: Pick<Box, 'body' | 'end'> = { body: 0, end: bytes.length },
): Generator<Box> {
  for (let at = body; at + 8 <= end; ) {
    take(budget, 'boxes');
    const box = boxAt(bytes, at, end);
    if (box === undefined) return;
    yield box;
    at = box.end;
  }
}

/** The box that begins at `at`; undefined if none can. It ends no later than its parent. */
export function boxAt(bytes: Buffer, at: number, end: number): Box | undefined {
  if (at + 8 > bytes.length) return undefined;
  const short = bytes.readUInt32BE(at);
  const isLong = short === 1;
  if (isLong && at + 16 > bytes.length) return undefined;
  // 0: up to the end of its parent.
  const size = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : short === 0 ? end - at : short;
  const body = at + (isLong ? 16 : 8);
  if (at + size < body) return undefined;
  return { type: bytes.toString('latin1', at + 4, at + 8), start: at, body, end: Math.min(at + size, end) };
}

/** The boxes along a path of types, the first of each type; none if one is missing. */
export function boxAlong(
  bytes: Buffer,
  budget: Budget,
  within: Pick<Box, 'body' | 'end'>,
  path: readonly string[],
): Box | undefined {
  let found: Box | undefined;
  let inside = within;
  for (const type of path) {
    found = [...boxesIn(bytes, budget, inside)].find(box => box.type === type);
    if (found === undefined) return undefined;
    inside = found;
  }
  return found;
}

/** Turns a box into free space, filled with zeros. */
export function freeBox(bytes: Buffer, { start, body, end }: Box): void {
  bytes.write('free', start + 4, 'latin1');
  bytes.fill(0, body, end);
}

/** Cleans a box that is kept. */
export type Rule = (bytes: Buffer, box: Box, budget: Budget) => void;
export type Rules = ReadonlyMap<string, Rule>;

/**
 * Keeps the boxes that have a rule, and applies it; all others become free space, and bytes outside boxes
 * become zeros.
 */
export function keepBoxes(
  bytes: Buffer,
  inside: Pick<Box, 'body' | 'end'>,
  rules: Rules,
  budget: Budget,
): void {
  let known = inside.body;
  for (const box of boxesIn(bytes, budget, inside)) {
    const rule = rules.get(box.type);
    if (rule === undefined) freeBox(bytes, box);
    else rule(bytes, box, budget);
    known = box.end;
  }
  bytes.fill(0, known, Math.max(known, inside.end));
}

export const asItIs: Rule = () => {};

/** Keeps a box of other boxes. `head`: bytes before the first of them. */
export function containing(rules: Rules, head = 0): Rule {
  return (bytes, { body, end }, budget) =>
    keepBoxes(bytes, { body: Math.min(body + head, end), end }, rules, budget);
}

/** Keeps a table: `head` bytes, the last four of which are the number of entries, and these entries. */
export function table(entryBytes: number, head = 8): Rule {
  return (bytes, { body, end }) => {
    const count = body + head <= end ? bytes.readUInt32BE(body + head - 4) : 0;
    const used = body + head + count * entryBytes;
    if (used < end) bytes.fill(0, used, end);
  };
}
