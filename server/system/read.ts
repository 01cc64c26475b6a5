import { moment } from '../../contract/date.ts';
import type { Output } from '../../contract/operations.ts';
import project from '../../package.json' with { type: 'json' };
import { lastErrors } from '../base/last-errors.ts';
import type { Config } from '../config.ts';
import { dialectOf } from '../db/dialect.ts';
import { newestMigration } from '../db/migrations/index.ts';
import type { DbContext } from '../db/transaction.ts';
import { freeAround } from '../files/store/free-space.ts';
import { outsideWarnings } from './outside.ts';
import { ownMemory } from './own-memory.ts';
import { type QueueState, readQueues } from './queues.ts';
import { warnings } from './warnings.ts';

/** The state of the program and its machine, for admins. */
export async function getSystemState(
  deps: DbContext & { config: Config },
): Promise<Output<'getSystemState'>> {
  const { db, clock, config } = deps;
  const free = await freeAround(config.dataDir);
  const { mails, transfers, files } = await readQueues(db);
  return {
    version: project.version,
    schema: newestMigration,
    engine: await dialectOf(db).version(db),
    node: process.versions.node,
    role: config.role,
    startedAt: moment(clock() - process.uptime() * 1_000),
    memoryBytes: await ownMemory(),
    freeBytes: Number.isFinite(free) ? free : null,
    mails: queue(mails),
    transfers: queue(transfers),
    files: queue(files),
    errors: lastErrors().map(error => ({ ...error, at: moment(error.at) })),
    warnings: [...(await warnings(deps)), ...(await outsideWarnings(config, clock()))],
  };
}

const queue = ({ waiting, since }: QueueState) => ({
  waiting,
  oldestAt: since === null ? null : moment(since),
});
