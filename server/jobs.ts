import { extname } from 'node:path';
import { countChangedUsers } from './accounts/count-users.ts';
import { sweepEmailLinks } from './accounts/email.ts';
import { sweepBrowsers } from './accounts/known-browsers.ts';
import { sweepPending } from './accounts/pending-sign-in.ts';
import { sweepSessions } from './accounts/sessions.ts';
import { sweepUndoable } from './accounts/undo.ts';
import { backUpWhenDue } from './archive/schedule.ts';
import { sweepChanges } from './db/changes/sweep.ts';
import type { Deps } from './deps.ts';
import { startFileJobs, sweepStaged } from './files/jobs.ts';
import { sweepHistory } from './history/write.ts';
import { sweepInvitations } from './invitations/write.ts';
import { sweepAttempts } from './limits/attempts.ts';
import { startMailWorker } from './mail/worker.ts';
import { workOnTransfers } from './transfers/work.ts';
import { sweepTransfers } from './transfers/write.ts';

/** How often to check whether the backup of the day is due, in milliseconds. */
const backUpEveryMs = 60_000;
const sweepEveryMs = 60 * 60_000;
/** Often, so that each sweep is short: on SQLite all other writes wait for it. */
const sweepChangesEveryMs = 60_000;

/** How often to check for changed accounts that must be counted, in milliseconds. */
const countEveryMs = 1_000;
/** How often to check whether an import or an export is waiting, in milliseconds. */
const transferEveryMs = 1_000;
/** Next to this file, both in the sources and in the build. */
const transferProgram = new URL(`./transfer-process${extname(import.meta.url)}`, import.meta.url);
/** A low priority, because requests of readers come first. */
const transferNiceness = 10;

/**
 * Starts the background jobs of this process. With the role `web` these are only those that no other process can do.
 * Returns the function that stops them after the current ones have ended.
 */
export function startJobs(deps: Deps): () => Promise<void> {
  const stops = deps.config.role === 'web' ? [sweepingOwnFolder(deps)] : jobsOfSite(deps);
  return async () => {
    await Promise.all(stops.map(stop => stop()));
  };
}

function sweepingOwnFolder(deps: Deps): () => Promise<unknown> {
  return every(
    sweepEveryMs,
    () => sweepStaged(deps),
    error => deps.log.error({ err: error }, 'the files of abandoned uploads could not be removed'),
  );
}

function jobsOfSite(deps: Deps): (() => Promise<unknown>)[] {
  const sweepAll = () =>
    Promise.all([
      sweepAttempts(deps),
      sweepSessions(deps),
      sweepPending(deps),
      sweepEmailLinks(deps),
      sweepBrowsers(deps),
      sweepUndoable(deps),
      sweepHistory(deps),
      sweepInvitations(deps),
      sweepTransfers(deps),
    ]);
  return [
    startMailWorker(deps),
    startFileJobs(deps),
    every(
      backUpEveryMs,
      () => backUpWhenDue(deps),
      error => deps.log.error({ err: error }, 'it could not be checked whether a backup is due'),
    ),
    every(
      transferEveryMs,
      () => workOnTransfers(deps, { program: transferProgram, niceness: transferNiceness }),
      error => deps.log.error({ err: error }, 'an import or an export could not be worked on'),
    ),
    every(
      countEveryMs,
      () => countChangedUsers(deps),
      error => deps.log.error({ err: error }, 'accounts that have changed could not be counted'),
    ),
    every(sweepEveryMs, sweepAll, error =>
      deps.log.error(
        { err: error },
        'sessions, links, attempts, old decisions and history could not be swept',
      ),
    ),
    every(
      sweepChangesEveryMs,
      () => sweepChanges(deps),
      error => deps.log.error({ err: error }, 'the record of changes could not be swept'),
    ),
  ];
}

/**
 * Runs a job at intervals. After an error, such as a database that is away for a moment, the next run does what was
 * left.
 */
function every(
  ms: number,
  act: () => Promise<unknown>,
  onError: (error: unknown) => void,
): () => Promise<unknown> {
  let current: Promise<unknown> = Promise.resolve();
  let isUnderWay = false;
  const timer = setInterval(() => {
    if (isUnderWay) return;
    isUnderWay = true;
    current = act()
      .catch(onError)
      .finally(() => {
        isUnderWay = false;
      });
  }, ms);
  return () => {
    clearInterval(timer);
    return current;
  };
}
