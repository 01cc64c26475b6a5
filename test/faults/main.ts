import { parseArgs } from 'node:util';
import '../support/no-settings.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { runDenied } from './denied.ts';
import { runFailover } from './failover.ts';
import { runInterleaved } from './interleaved.ts';
import { runMail } from './mail.ts';
import { runMigrations } from './migrations.ts';
import { runMigrationsFailover } from './migrations-failover.ts';
import { runModel } from './model.ts';
import { databaseGone, diskFull, smtpGone } from './outages.ts';
import { type Engine, onPlace, type Place } from './place.ts';
import { measurePublishing } from './publishing.ts';
import { randomFrom, runRounds } from './rounds.ts';
import { smallMachine } from './small.ts';
import { runUpgrade } from './upgrade.ts';
import { runUploadRounds } from './uploads.ts';

/**
 * `npm run faults` or, after a build, `node test/faults/main.ts [scenario ...] --engine sqlite --rounds 100
 * --seed 1`: breaks what the built server depends on, on both engines, and prints what it survived. A failure
 * prints the seed that repeats it.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    subscribers: { type: 'string', default: '1000' },
    engine: { type: 'string' },
    /** The folder of an older version, installed and built, for `upgrade`. */
    before: { type: 'string' },
    /** A folder for the data that stays afterwards, to look at what broke. */
    keep: { type: 'string' },
  },
});
const [rounds, seed, subscribers] = [values.rounds, values.seed, values.subscribers].map(Number) as [
  number,
  number,
  number,
];

const scenarios: Record<string, (place: Place) => Promise<unknown>> = {
  kills: place => runRounds(place, { rounds, seed }),
  uploads: async place => {
    const site = await place.site();
    await site.start();
    await site.createAdmin();
    return await runUploadRounds(site, rounds, randomFrom(seed));
  },
  interleaved: place => runInterleaved(place, { rounds, random: randomFrom(seed) }),
  model: place => runModel(place, { rounds, seed }),
  denied: place => runDenied(place, { rounds }),
  failover: place => runFailover(place, { isPooled: false }),
  'failover-pooled': place => runFailover(place, { isPooled: true }),
  upgrade: place => runUpgrade(place, values.before),
  migrations: place => runMigrations(place, { rounds: Math.ceil(rounds / 5), random: randomFrom(seed) }),
  'migrations-failover': place =>
    runMigrationsFailover(place, { rounds: Math.ceil(rounds / 10), random: randomFrom(seed) }),
  publishing: place => measurePublishing(place, 10_000),
  database: databaseGone,
  disk: diskFull,
  small: smallMachine,
  smtp: smtpGone,
  mail: place => runMail(place, { subscribers, processes: place.postgres === undefined ? 1 : 3, kills: 3 }),
};

const engines: readonly Engine[] = ['sqlite', 'postgres'];
for (const engine of engines.filter(name => values.engine === undefined || name === values.engine)) {
  const postgres: Postgres | undefined = engine === 'postgres' ? await startPostgres() : undefined;
  try {
    for (const [name, run] of Object.entries(scenarios)) {
      if (positionals.length > 0 && !positionals.includes(name)) continue;
      const start = performance.now();
      const report = await onPlace(postgres, run, values.keep);
      const seconds = Math.round((performance.now() - start) / 1_000);
      console.log(`${engine} ${name} (${seconds} s): ${JSON.stringify(report)}`);
    }
  } finally {
    await postgres?.stop();
  }
}
