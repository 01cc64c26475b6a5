import { join } from 'node:path';
import { parseArgs } from 'node:util';
import '../support/no-settings.ts';
import { builtWeb } from '../../server/surfaces/pages/web.ts';
import { startPostgres } from '../support/postgres.ts';
import { describeHistory } from './describe.ts';
import { startEmptySites } from './empty-sites.ts';
import { openInProcess } from './place.ts';
import { openProcesses } from './processes.ts';
import { type Opening, prove } from './prove.ts';

/**
 * `npm run prove -- --minutes 30 --engine postgres`: plays random histories on a site and in the model, and
 * compares what everybody is answered (docs/security.md). Prints the first difference as a readable history,
 * and ends with 1; `--seed` plays it again.
 */
const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    /** How many servers share the database; steps and questions go to different ones. */
    processes: { type: 'string', default: '1' },
    /** Runs each server as a separate process, which is killed and, if there are several, frozen. */
    real: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '10' },
    /** Ends after so many steps instead. */
    steps: { type: 'string' },
    /** Prints a counterexample as it was found, without the time that making it smaller takes. */
    raw: { type: 'boolean', default: false },
    /** Deeds that are done more often than others, separated by commas. */
    often: { type: 'string', default: '' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
process.env.NODE_ENV = 'production';
const web = await builtWeb(join(import.meta.dirname, '../../dist/web'));
const postgres = values.engine === 'postgres' ? await startPostgres() : undefined;
const sites = await startEmptySites(postgres);

const open: Opening = async archive => {
  const { location, remove } = await sites.make(archive);
  const count = Number(values.processes);
  const place = values.real
    ? await openProcesses(location, count, postgres)
    : await openInProcess(location, web, count);
  const close = async () => {
    await place.close();
    await remove();
  };
  return { ...place, close };
};

const tally = { steps: 0, questions: 0, comparisons: 0 };
const until = performance.now() + Number(values.minutes) * 60_000;
const isEnough = () =>
  values.steps === undefined ? performance.now() > until : tally.steps >= Number(values.steps);
try {
  const found = await prove(open, {
    seed: Number(values.seed),
    often: values.often.split(',').filter(deed => deed !== ''),
    isMinimised: !values.raw,
    tally,
    isEnough,
  });
  if (found !== undefined) {
    process.exitCode = 1;
    console.log(describeHistory(found.steps, found.findings));
    console.log(
      `Found with --engine ${values.engine} --processes ${values.processes}${values.real ? ' --real' : ''} --seed ${found.seed}.`,
    );
  }
} finally {
  await sites.stop();
  await postgres?.stop();
}
const { steps, questions, comparisons } = tally;
console.log(`${values.engine}: ${steps} steps, ${questions} questions, ${comparisons} comparisons.`);
