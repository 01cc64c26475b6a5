import { Random } from '../prove/random.ts';

/** What is said of a video or recording that cannot be cleaned. */
export const refused =
  /video or recording (?:has too many parts|is incomplete or damaged)|this kind of video or recording/;

/** Lengths of boxes and counts that a reader may trust too much. */
const words = [0, 1, 7, 0xffffffff];

/**
 * Copies of these files in turn, the same in each run: a third of them is cut short, and in each four bytes
 * or four words are overwritten, among the first `within`.
 */
export function* spoiled(wholes: readonly Buffer[], count: number, within = Number.POSITIVE_INFINITY) {
  const random = new Random(7);
  for (let copy = 0; copy < count; copy += 1) {
    const whole = wholes[copy % wholes.length] ?? Buffer.alloc(0);
    const bytes = Buffer.from(
      whole.subarray(0, random.chance(1 / 3) ? random.below(whole.length) : whole.length),
    );
    const hasWords = random.chance(0.5);
    for (let hit = 0; hit < 4 && bytes.length > 4; hit += 1) {
      const at = random.below(Math.min(bytes.length - 4, within));
      if (hasWords) bytes.writeUInt32BE(random.pick([...words, random.below(2 ** 32)]) ?? 0, at);
      else bytes[at] = random.pick([0, 0xff, random.below(256)]) ?? 0;
    }
    yield bytes;
  }
}
