import type { Tally } from './asking.ts';
import type { Archive } from './backups.ts';
import type { Place } from './place.ts';
import { Random } from './random.ts';
import { Run, type RunOptions } from './run.ts';
import { type Replay, shrink } from './shrink.ts';
import type { Step } from './steps.ts';

/** Opens a site to play a history on: an empty one, or one restored from an archive. */
export type Opening = (archive?: Archive) => Promise<Place>;

export type Counterexample = { seed: number; steps: Step[]; findings: string[] };

export type Proving = {
  /** The seed of the first history; each further history has the next number. */
  seed: number;
  /** Deeds that are done more often than others. */
  often?: readonly string[];
  isMinimised?: boolean;
  /**
   * How many steps one history has. Then another site begins, because longer histories find little that is
   * new.
   */
  stepsOfLife?: number;
  /** How many steps at the beginning of a history are followed by only a few questions. */
  quietSteps?: number;
  tally: Tally;
  isEnough(): boolean;
};

const usualSteps = 60;
/**
 * How long a history goes on, in milliseconds: by the real clock a sign-in is recent for ten minutes, and the
 * model knows no time that passes by itself.
 */
const mostMs = 5 * 60_000;
/** Up to this length everything is asked after every step of a history that is made smaller. */
const shortHistory = 12;

/**
 * Plays random histories until `isEnough` says so, and returns the first counterexample, as short as
 * possible; undefined if nothing was found.
 */
export async function prove(open: Opening, proving: Proving): Promise<Counterexample | undefined> {
  for (let seed = proving.seed; !proving.isEnough(); seed += 1) {
    const { steps, findings } = await live(open, { ...proving, seed });
    if (findings.length === 0) continue;
    console.log(`After ${steps.length} steps of seed ${seed}: ${findings[0]}`);
    if (proving.isMinimised === false) return { seed, steps, findings };
    const smallest = await shrink(steps, shrinking(open));
    return smallest.findings.length > 0 ? { seed, ...smallest } : { seed, steps, findings };
  }
  return undefined;
}

/** One random history, from an empty site to its end or its first mistake. */
async function live(open: Opening, proving: Proving) {
  const { seed, often = [], stepsOfLife = usualSteps, quietSteps = 0, tally, isEnough } = proving;
  const options = { open, sweepEvery: stepsOfLife, quietSteps, tally };
  const run = new Run(await open(), new Random(seed), options);
  const steps: Step[] = [];
  try {
    await run.open();
    const end = performance.now() + mostMs;
    for (let at = 1; ; at += 1) {
      const step = run.next(at, often);
      steps.push(step);
      const isLast = at === stepsOfLife || performance.now() > end;
      const findings = await run.play(step, isLast);
      if (findings.length > 0 || isLast) return { steps, findings };
      if (isEnough()) return { steps, findings: await run.sweep(step) };
    }
  } catch (error) {
    const last = steps.at(-1);
    throw new Error(`In step ${steps.length} of seed ${seed}: ${JSON.stringify(last)}`, {
      cause: error,
    });
  } finally {
    await run.close();
  }
}

/**
 * Plays stored histories again on sites that `open` makes; everything is asked at the end. Each of the first
 * `quietSteps` is followed by only a few questions.
 */
export function replaying(
  open: Opening,
  tally: Tally = { steps: 0, questions: 0, comparisons: 0 },
  quietSteps = 0,
): Replay {
  return async steps => await replay(steps, { open, sweepEvery: usualSteps, quietSteps, tally });
}

/** Plays parts of a history, of which the short ones must show what it has shown: after any step. */
function shrinking(open: Opening): Replay {
  const tally = { steps: 0, questions: 0, comparisons: 0 };
  return async steps => {
    const sweepEvery = steps.length <= shortHistory ? 1 : usualSteps;
    return await replay(steps, { open, sweepEvery, tally });
  };
}

async function replay(steps: readonly Step[], options: RunOptions & { open: Opening }): Promise<string[]> {
  const run = new Run(await options.open(), new Random(1), options);
  try {
    await run.open();
    for (const [index, step] of steps.entries()) {
      const findings = await run.play(step, index === steps.length - 1);
      if (findings.length > 0) return findings;
    }
    return [];
  } finally {
    await run.close();
  }
}
