import { join } from 'node:path';
import type { Web } from '../../server/surfaces/pages/web.ts';
import { stepsOfPrelude } from './generate.ts';
import { type Mistake, Planter } from './plant.ts';
import type { Opening } from './prove.ts';
import { keptSeed } from './seeds.ts';

/**
 * What the table's program (mutate.ts) asks for; without a mistake the sources are played as they are. `history` names one
 * that is kept (seeds.ts), which is played instead of random ones.
 */
export type Hunt = {
  mistake: Mistake | undefined;
  history?: string | undefined;
  deeds: readonly string[];
  seed: number;
  steps: number;
};

/** What comes of it. */
export type Hunted = {
  /** What was wrong first; undefined where nothing was. */
  finding: string | undefined;
  /** Of the history in which it was, or of the next one that would have been tried. */
  seed: number;
  /** Of all histories, and of the one in which it was. */
  steps: number;
  stepsOfHistory: number;
  /** Of the processor. */
  seconds: number;
};

/** Short histories from many beginnings find most; the first steps of each only make its world. */
const stepsOfLife = 40;

/**
 * A process that looks for one mistake after another: told of each by its parent, it loads the sources that hold it anew, plays
 * histories until something is wrong or there were enough steps, and answers.
 */
process.env.NODE_ENV = 'production';
const planter = new Planter();
// The sources as they are: from them the planter knows what leads to what.
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
      const { steps: kept } = await keptSeed(history);
      const findings = await replaying(open, tally)(kept);
      return findings.length > 0 ? { seed, findings } : undefined;
    }
    const proving = { seed, often: deeds, stepsOfLife, quietSteps: stepsOfPrelude, isMinimised: false };
    return await prove(open, { ...proving, tally, isEnough: () => tally.steps >= steps });
  };
  const found = await search()
    // What ends a history is a finding, in its next step.
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

/** What ended a history, with its cause. */
function messageOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}

process.on('disconnect', () => process.exit());
process.on('message', (asked: Hunt) => {
  void hunt(asked, web).then(hunted => process.send?.(hunted));
});
process.send?.('ready');
