import { tooManyParts } from './refusals.ts';

/**
 * A box of ISO base media (ISO/IEC 14496-12, 4.2) or an atom of QuickTime: where it lies, and where its body
 * begins.
 */
export type Box = { type: string; start: number; body: number; end: number };

/** How many more boxes and samples of a file are read. */
export type Budget = { boxes: number; samples: number };

/**
 * An hour in fragments of a second has half as many. Of a few bytes each, a large file of nothing else would
 * take an hour.
 */
const maxBoxes = 400_000;
/** More than nine hours of the smallest frames of sound. */
const maxSamples = 2_000_000;

export const newBudget = (): Budget => ({ boxes: maxBoxes, samples: maxSamples });

/**
 * Counts boxes or samples. Throws permission-denied for more than any video has: what follows would keep its
 * hidden data.
 */
export function take(budget: Budget, kind: keyof Budget, count = 1): void {
  budget[kind] -= count;
  if (budget[kind] < 0) throw tooManyParts();
}

/** The boxes in another one, or in a whole buffer; ends where they can no longer be told. */
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

/**
 * The box that begins at `at`; undefined where none can begin. It ends where what it is in ends, at the
 * latest.
 */
export function boxAt(bytes: Buffer, at: number, end: number): Box | undefined {
  if (at + 8 > bytes.length) return undefined;
  const short = bytes.readUInt32BE(at);
  const isLong = short === 1;
  if (isLong && at + 16 > bytes.length) return undefined;
  // 0: to the end of what it is in.
  const size = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : short === 0 ? end - at : short;
  const body = at + (isLong ? 16 : 8);
  if (at + size < body) return undefined;
  return { type: bytes.toString('latin1', at + 4, at + 8), start: at, body, end: Math.min(at + size, end) };
}

/** The boxes along a path of types, the first of each type; none where one is missing. */
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

/** Makes a box free space, filled with zeros. */
export function freeBox(bytes: Buffer, { start, body, end }: Box): void {
  bytes.write('free', start + 4, 'latin1');
  bytes.fill(0, body, end);
}

/** What becomes of a box that is kept. */
export type Rule = (bytes: Buffer, box: Box, budget: Budget) => void;
export type Rules = ReadonlyMap<string, Rule>;

/**
 * Keeps the boxes for which there is a rule, by that rule; all others become free space, and what is no box
 * becomes zeros.
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

/** Keeps a box as it is. */
export const asItIs: Rule = () => {};

/** Keeps a box of other boxes. `head`: bytes before the first of them. */
export function containing(rules: Rules, head = 0): Rule {
  return (bytes, { body, end }, budget) =>
    keepBoxes(bytes, { body: Math.min(body + head, end), end }, rules, budget);
}

/** Keeps a table: `head` bytes, of which the last four say how many entries follow, and these. */
export function table(entryBytes: number, head = 8): Rule {
  return (bytes, { body, end }) => {
    const count = body + head <= end ? bytes.readUInt32BE(body + head - 4) : 0;
    const used = body + head + count * entryBytes;
    if (used < end) bytes.fill(0, used, end);
  };
}
