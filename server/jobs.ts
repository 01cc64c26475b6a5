import { getCompileCacheDir } from 'node:module';
import { dirname, extname } from 'node:path';
import { countChangedUsers } from './accounts/count-users.ts';
import { sweepEmailLinks } from './accounts/email.ts';
import { sweepBrowsers } from './accounts/known-browsers.ts';
import { sweepPending } from './accounts/pending-sign-in.ts';
import { sweepSessions } from './accounts/sessions.ts';
import { sweepUndoable } from './accounts/undo.ts';
import { backUpWhenDue } from './archive/schedule.ts';
import { type Job, runInBackground } from './background.ts';
import { sweepChanges } from './db/changes/sweep.ts';
import type { Deps } from './deps.ts';
import { fileJobs, sweepStaged } from './files/jobs.ts';
import { sweepHistory } from './history/write.ts';
import { sweepInvitations } from './invitations/write.ts';
import { sweepAttempts } from './limits/attempts.ts';
import { mailJobs } from './mail/worker.ts';
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
const compileCache = getCompileCacheDir();
const transferProcess = {
  /** Next to this file, both in the sources and in the build. */
  program: new URL(`./transfer-process${extname(import.meta.url)}`, import.meta.url),
  /** A low priority, because requests of readers come first. */
  niceness: 10,
  /** That of this process, in which each version of Node.js has a folder. */
  compileCache: compileCache && dirname(compileCache),
};

/**
 * Starts the background jobs of this process. With the role `web` these are only those that no other process can do.
 * Returns the function that stops them after the current ones have ended.
 */
export function startJobs(deps: Deps): () => Promise<void> {
  const jobs = deps.config.role === 'web' ? [sweepOwnFolder(deps)] : jobsOfSite(deps);
  const stops = jobs.map(job => runInBackground(deps.log, job));
  return async () => {
    await Promise.all(stops.map(stop => stop()));
    deps.mail.close();
  };
}

function sweepOwnFolder(deps: Deps): Job {
  const failure = 'the files of abandoned uploads could not be removed';
  return { everyMs: sweepEveryMs, failure, run: () => sweepStaged(deps) };
}

function jobsOfSite(deps: Deps): Job[] {
  const sweep = (what: string, run: (deps: Deps) => Promise<unknown>, everyMs = sweepEveryMs): Job => ({
    everyMs,
    failure: `${what} could not be swept`,
    run: () => run(deps),
  });
  return [
    ...mailJobs(deps),
    ...fileJobs(deps),
    {
      everyMs: backUpEveryMs,
      failure: 'it could not be checked whether a backup is due',
      run: () => backUpWhenDue(deps),
    },
    {
      everyMs: transferEveryMs,
      failure: 'an import or an export could not be worked on',
      run: () => workOnTransfers(deps, transferProcess),
    },
    {
      everyMs: countEveryMs,
      failure: 'accounts that have changed could not be counted',
      run: () => countChangedUsers(deps),
    },
    sweep('attempts', sweepAttempts),
    sweep('sessions', sweepSessions),
    sweep('sign-ins that wait for a code', sweepPending),
    sweep('links in mails', sweepEmailLinks),
    sweep('known browsers', sweepBrowsers),
    sweep('decisions that can be undone', sweepUndoable),
    sweep('the history of rights', sweepHistory),
    sweep('invitations', sweepInvitations),
    sweep('imports and exports', sweepTransfers),
    sweep('the record of changes', sweepChanges, sweepChangesEveryMs),
  ];
}
