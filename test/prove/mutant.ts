import type { Hunted } from './hunt.ts';
import type { Mistake } from './mistake.ts';

/** A mistake of the table. */
export type Mutant = Mistake & {
  /** Deeds that run the changed code: they are done more often, so that the mistake is found sooner. */
  deeds?: string[];
  /** The stored history (seeds.ts) that finds it, if random ones seldom do. */
  history?: string;
  /** The test that finds it, if the tester does not: the arguments of vitest, a file and perhaps a title. */
  test?: string;
  /** Why the tester does not find it, or why it has no visible effect: then nothing finds it. */
  elsewhere?: string;
  equivalent?: string;
};

/** A mistake that was looked for, as the table had it then. */
export type Judged = Hunted & {
  key: string;
  /** Whether the finding must still be repeated, and shown not to happen on the unchanged sources. */
  isOnce?: boolean;
};

export function isKilled(judged: Hunted | undefined): boolean {
  return judged?.finding !== undefined;
}
