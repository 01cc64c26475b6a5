import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { builtWeb } from '../../server/surfaces/pages/web.ts';
import { createDatabase, dropDatabase, startPostgres } from '../postgres.ts';
import { scratchFolder } from '../scratch.ts';
import { createTemplates } from '../templates.ts';
import { openInProcess } from './place.ts';
import { type Opening, prove } from './prove.ts';
import { sayHistory } from './say.ts';

/**
 * `npm run prove -- --minutes 30 --engine postgres`: plays random histories on the site and in the model beside it, and
 * compares what everybody is answered (docs/security.md). Prints the first difference as a history that can be read, and
 * ends with 1; `--seed` plays it again.
 */
const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    /** How many share the database; the steps go to one and are asked of another. */
    processes: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '10' },
    /** Ends after so many steps instead. */
    steps: { type: 'string' },
    /** Prints a counterexample as it was found, which takes no further time. */
    raw: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
process.env.NODE_ENV = 'production';
const web = await builtWeb(join(import.meta.dirname, '../../dist/web'));
const postgres = await startPostgres();
const { templates, remove } = await createTemplates(postgres.url);

const open: Opening = async () => {
  const dataDir = await mkdtemp(join(scratchFolder(), 'coterie-prove-'));
  const databaseUrl =
    values.engine === 'postgres' ? await createDatabase(postgres.url, templates.postgres) : undefined;
  if (databaseUrl === undefined) await copyFile(templates.sqlite, join(dataDir, 'coterie.db'));
  const place = await openInProcess({ dataDir, databaseUrl }, web, Number(values.processes));
  return {
    ...place,
    close: async () => {
      await place.close();
      if (databaseUrl !== undefined) await dropDatabase(databaseUrl);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

const tally = { steps: 0, questions: 0, comparisons: 0 };
const until = performance.now() + Number(values.minutes) * 60_000;
const isEnough = () =>
  values.steps === undefined ? performance.now() > until : tally.steps >= Number(values.steps);
try {
  const found = await prove(open, Number(values.seed), tally, isEnough, !values.raw);
  if (found !== undefined) {
    process.exitCode = 1;
    console.log(sayHistory(found.steps, found.findings));
    console.log(`Found with --engine ${values.engine} --processes ${values.processes} --seed ${found.seed}.`);
  }
} finally {
  await remove();
  await postgres.stop();
}
const { steps, questions, comparisons } = tally;
console.log(`${values.engine}: ${steps} steps, ${questions} questions, ${comparisons} comparisons.`);
