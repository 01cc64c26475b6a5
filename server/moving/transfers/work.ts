import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import type { Logger } from 'pino';
import { transferLimits } from '../../../contract/constants.ts';
import { roleOfUser } from '../../access/viewer.ts';
import { hourMs } from '../../base/clock.ts';
import { createId } from '../../base/id.ts';
import type { Config } from '../../config.ts';
import { dialectOf } from '../../db/dialect.ts';
import { isOver, keepRenewed } from '../../db/lease.ts';
import type { TransferRow } from '../../db/tables.ts';
import { type DbContext, inTransaction, unguarded } from '../../db/transaction.ts';
import type { FileStore } from '../../files/store/store.ts';
import { type Held, removeLocal } from './local-files.ts';
import { isHeld, RightsLost } from './progress.ts';

type Working = DbContext & {
  config: Config;
  files: FileStore;
  log: Logger;
  stopping: AbortSignal;
};

export type Work = Held & {
  /** Networks cannot be sent in a message; that process answers no requests and sends no webhooks. */
  settings: Omit<Config, 'trustedProxies' | 'webhookNetworks'>;
};

/** How long the transfer of a dead process waits for another one, in milliseconds. */
const leaseMs = 30_000;
const renewEveryMs = 1_000;
/** How long a process that was told to end may continue, in milliseconds. */
const endWithinMs = 10_000;
/** After this many processes have died in a transfer, it fails. */
const maxAttempts = 5;
type Claimed = Held & { beganAt: number };

/**
 * Works on the waiting transfer, if any, in a process of its own (`program`). A separate process isolates
 * memory and CPU from requests. `niceness` is as in nice(2). `compileCache` keeps its compiled code
 * (NODE_COMPILE_CACHE): compiling takes a third of its start. Resolves when the process has ended.
 */
export async function workOnTransfers(
  working: Working,
  { program, niceness, compileCache }: { program: URL; niceness: number; compileCache: string | undefined },
): Promise<void> {
  if (working.stopping.aborted) return;
  const claimed = await claim(working);
  if (claimed === undefined) return;
  // Files of a process that was killed together with its parent.
  await removeLocal(working, { id: claimed.id });
  // Nobody would end the child: the signal came before it existed.
  if (working.stopping.aborted) return await settle(working, claimed, 'stopping');
  const { trustedProxies: _, webhookNetworks: __, ...settings } = working.config;
  const env = { ...process.env, NODE_COMPILE_CACHE: compileCache };
  const child = fork(program, { env, serialization: 'advanced', execArgv: [] });
  const exited = once(child, 'exit');
  // Without a listener an error, such as of a message to a child that could not be started, would end this
  // process.
  child.on('error', error => working.log.error({ err: error }, 'the process of a transfer failed'));
  const end = watch(working, claimed, child);
  try {
    if (child.pid !== undefined) setPriority(child.pid, niceness);
    child.send({ id: claimed.id, lease: claimed.lease, settings } satisfies Work);
    await exited;
  } finally {
    end.stop();
    await removeLocal(working, claimed);
    await settle(working, claimed, end.reason);
  }
}

async function claim({ db, clock, log }: Working): Promise<Claimed | undefined> {
  const now = clock();
  const due = (at: typeof db) =>
    at
      .selectFrom('transfers')
      .selectAll()
      .where('state', 'in', ['waiting', 'running'])
      .where(isOver('leased_until', { now, ms: leaseMs }));
  // Nothing is locked while there is nothing to do, which is nearly always.
  if ((await due(db).executeTakeFirst()) === undefined) return undefined;
  return await inTransaction({ db, ...unguarded }, async trx => {
    const row = await dialectOf(trx).skipLocked(due(trx)).executeTakeFirst();
    if (row === undefined) return undefined;
    // Nothing was settled if this process was killed together with its child, such as the whole service when
    // memory ran out.
    if (row.attempts >= maxAttempts) {
      const given = next(row, 'lost', now);
      await trx.updateTable('transfers').set(given).where('id', '=', row.id).execute();
      log.warn({ transfer: row.id }, 'an import or export was given up: each process that ran it was killed');
      return undefined;
    }
    const claimed = { id: row.id, lease: createId(), beganAt: row.began_at ?? now };
    await trx
      .updateTable('transfers')
      .set({
        state: 'running',
        attempts: row.attempts + 1,
        began_at: claimed.beganAt,
        lease: claimed.lease,
        leased_until: now + leaseMs,
      })
      .where('id', '=', row.id)
      .execute();
    return claimed;
  });
}

type Watch = { reason: 'stopping' | 'time' | 'rights' | 'lost' | undefined; stop(): void };

/** Holds the lease while the process works, and ends it if it may not go on. */
function watch(working: Working, claimed: Claimed, child: ChildProcess): Watch {
  const { stopping, clock, log } = working;
  let killing: NodeJS.Timeout | undefined;
  const end: Watch = {
    reason: undefined,
    stop: () => {
      stopRenewing();
      clearTimeout(killing);
      stopping.removeEventListener('abort', onStop);
    },
  };
  const endIt = (reason: NonNullable<Watch['reason']>) => {
    if (end.reason !== undefined) return;
    end.reason = reason;
    child.kill('SIGTERM');
    killing = setTimeout(() => child.kill('SIGKILL'), endWithinMs);
  };
  const onStop = () => endIt('stopping');
  stopping.addEventListener('abort', onStop);
  const renew = async () => {
    if (clock() > claimed.beganAt + transferLimits.maxHours * hourMs) return endIt('time');
    const held = await hold(working, claimed);
    if (held !== 'held') endIt(held);
  };
  const stopRenewing = keepRenewed(renew, renewEveryMs, error =>
    log.warn({ err: error }, 'the lease of a transfer was not renewed'),
  );
  return end;
}

/**
 * Renews the lease. Returns whether it is lost, and whether the person who began the transfer is no longer an
 * admin.
 */
async function hold({ db, clock }: Working, claimed: Claimed): Promise<'held' | 'lost' | 'rights'> {
  const row = await db
    .updateTable('transfers')
    .set({ leased_until: clock() + leaseMs })
    .where(isHeld(claimed))
    .returning('user_id')
    .executeTakeFirst();
  if (row === undefined) return 'lost';
  if (row.user_id === null) return 'rights';
  return (await roleOfUser(db, row.user_id)) === 'admin' ? 'held' : 'rights';
}

/** Decides about a transfer whose process has ended without a result: it is tried again, or fails. */
async function settle({ db, clock, log }: Working, claimed: Claimed, reason: Watch['reason']): Promise<void> {
  const ours = await db.selectFrom('transfers').selectAll().where(isHeld(claimed)).executeTakeFirst();
  if (ours === undefined) return;
  await db
    .updateTable('transfers')
    .set(next(ours, reason, clock()))
    .where(isHeld(claimed))
    .execute();
  log.warn({ id: claimed.id, reason }, 'a transfer was interrupted');
}

function next({ attempts }: TransferRow, reason: Watch['reason'], now: number) {
  const failed = (error: string) => ({ state: 'failed' as const, error, ended_at: now, lease: null });
  if (reason === 'time')
    return failed(`It took longer than ${transferLimits.maxHours} hours, and was stopped.`);
  if (reason === 'rights') return failed(new RightsLost().message);
  // The site is stopping: another process may continue at once, and this does not count as a failed attempt.
  if (reason === 'stopping') return { leased_until: now, attempts: attempts - 1 };
  if (attempts >= maxAttempts)
    return failed(
      `It was interrupted ${attempts} times, and is not tried again. The log of the server may say why.`,
    );
  return { leased_until: now };
}
