import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort, RunningSite } from '../e2e/site.ts';
import { startPostgres } from '../postgres.ts';
import { randomFrom, runRounds } from './rounds.ts';
import { runUploadRounds } from './uploads.ts';

/**
 * `node test/faults/main.ts --rounds 100 --seed 1`, after `npm run build`: kills the built server again and again while it
 * writes, on both engines, and prints what it survived.
 */
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '100' }, seed: { type: 'string', default: '1' } },
});
const rounds = Number(values.rounds);
for (const engine of ['sqlite', 'postgres'] as const) {
  const postgres = engine === 'postgres' ? await startPostgres() : undefined;
  const dataDir = await mkdtemp(join(tmpdir(), 'coterie-faults-'));
  const settings = postgres === undefined ? {} : { DATABASE_URL: `${postgres.url}/postgres` };
  const site = new RunningSite(dataDir, await freePort(), settings);
  try {
    await site.start();
    const report = await runRounds(site, rounds, randomFrom(Number(values.seed)));
    console.log(
      `${engine}: ${report.rounds} rounds, ${report.acknowledged} acknowledged writes, none lost; slowest start ${Math.round(report.slowestStartMs)} ms`,
    );
    console.log(engine, await runUploadRounds(site, rounds, randomFrom(Number(values.seed))));
  } finally {
    await site.stop();
    await postgres?.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
