import assert from 'node:assert/strict';
import { describeHistory } from '../prove/describe.ts';
import { startEmptySites } from '../prove/empty-sites.ts';
import { openProcesses } from '../prove/processes.ts';
import { type Opening, prove } from '../prove/prove.ts';
import type { Place } from './place.ts';

/**
 * Plays random histories against a server that is killed with -9 in the middle of them, on PostgreSQL
 * sometimes the database under it, and in the model beside it. What was acknowledged is in the model; what
 * nobody answered may have happened or not. After each kill the whole site is compared with it, as everybody
 * sees it. Throws at the first difference.
 */
export async function runModel(
  { postgres }: Place,
  { rounds, seed }: { rounds: number; seed: number },
): Promise<object> {
  const tally = { steps: 0, questions: 0, comparisons: 0, kills: 0 };
  const sites = await startEmptySites(postgres);
  const open: Opening = async archive => {
    const { location, remove } = await sites.make(archive);
    const place = await openProcesses(location, 1, postgres);
    const close = async () => {
      await place.close();
      await remove();
    };
    return { ...place, close };
  };
  try {
    const isEnough = () => tally.kills >= rounds;
    const found = await prove(open, { seed, often: ['kill'], tally, isEnough });
    assert.equal(found && describeHistory(found.steps, found.findings), undefined);
  } finally {
    await sites.stop();
  }
  return tally;
}
