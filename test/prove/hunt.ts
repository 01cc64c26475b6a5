import { join } from 'node:path';
import type { Web } from '../../server/surfaces/pages/web.ts';
import { stepsOfPrelude } from './generate.ts';
import type { Mistake } from './mistake.ts';
import { Planter } from './plant.ts';
import type { Opening } from './prove.ts';
import { storedSeed } from './seeds.ts';

/**
 * What mutate.ts asks a process for. Without a mistake histories are played on the unchanged sources.
 * `history` names a stored one (seeds.ts), which is played instead of random ones.
 */
export type Hunt = {
  mistake: Mistake | undefined;
  history?: string | undefined;
  deeds: readonly string[];
  seed: number;
  steps: number;
};

/** The result. */
export type Hunted = {
  /** The first finding; undefined if nothing was wrong. */
  finding: string | undefined;
  /** The seed of the history with the finding, or else of the next one to try. */
  seed: number;
  /** The number of steps of all histories, and of the one with the finding. */
  steps: number;
  stepsOfHistory: number;
  /** Processor time. */
  seconds: number;
};

/** Many short histories find the most mistakes; the first steps of each only make its world. */
const stepsOfLife = 40;

/**
 * A process that looks for one mistake after another. Its parent sends each mistake; the process loads the
 * sources again with it, plays histories until there is a finding or enough steps were done, and answers.
 */
process.env.NODE_ENV = 'production';
const planter = new Planter();
// The unchanged sources: from them the planter learns which module imports which.
const { builtWeb } = await import('../../server/surfaces/pages/web.ts');
await Promise.all([import('./empty-sites.ts'), import('./place.ts'), import('./prove.ts')]);
const web = await builtWeb(join(import.meta.dirname, '../../dist/web'));

async function hunt({ mistake, history, deeds, seed, steps }: Hunt, pages: Web): Promise<Hunted> {
  const start = process.cpuUsage();
  planter.plant(mistake);
  const [{ startEmptySites }, { openInProcess }, { prove, replaying }] = await Promise.all([
    import('./empty-sites.ts'),
    import('./place.ts'),
    import('./prove.ts'),
  ]);
  const tally = { steps: 0, questions: 0, comparisons: 0 };
  const sites = await startEmptySites(undefined);
  const open: Opening = async archive => {
    const { location, remove } = await sites.make(archive);
    const place = await openInProcess(location, pages);
    return { ...place, close: () => place.close().then(remove) };
  };
  const search = async () => {
    if (history !== undefined) {
      const { steps: kept } = await storedSeed(history);
      const findings = await replaying(open, tally)(kept);
      return findings.length > 0 ? { seed, findings } : undefined;
    }
    const proving = { seed, often: deeds, stepsOfLife, quietSteps: stepsOfPrelude, isMinimised: false };
    return await prove(open, { ...proving, tally, isEnough: () => tally.steps >= steps });
  };
  const found = await search()
    // An error that ends a history is a finding in its next step.
    .catch(error => ({ seed: seed + Math.floor(tally.steps / stepsOfLife), findings: [messageOf(error)] }))
    .finally(sites.stop);
  const { user, system } = process.cpuUsage(start);
  const historyBegan = found === undefined ? 0 : (found.seed - seed) * stepsOfLife;
  return {
    finding: found?.findings[0],
    seed: found?.seed ?? seed + Math.ceil(tally.steps / stepsOfLife),
    steps: tally.steps,
    stepsOfHistory: tally.steps - historyBegan + 1,
    seconds: Math.round((user + system) / 100_000) / 10,
  };
}

/** The error that ended a history, with its cause. */
function messageOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}

process.on('disconnect', () => process.exit());
process.on('message', (asked: Hunt) => {
  void hunt(asked, web).then(hunted => process.send?.(hunted));
});
process.send?.('ready');
