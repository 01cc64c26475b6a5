import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { sweepInvitations } from './accounts/invitations/write.ts';
import { sweepUndoable } from './accounts/members/undo.ts';
import { sweepProposals } from './accounts/proposals/propose.ts';
import { sweepBrowsers } from './accounts/sessions/known-browsers.ts';
import { sweepSessions } from './accounts/sessions/session-rows.ts';
import { sweepEmailLinks } from './accounts/sign-in/email.ts';
import { sweepPending } from './accounts/sign-in/pending-sign-in.ts';
import { type Job, runInBackground } from './base/background.ts';
import { dayMs, hourMs } from './base/clock.ts';
import { programBeside } from './base/program.ts';
import { sweepChanges } from './db/changes/sweep.ts';
import { dialectOf } from './db/dialect.ts';
import { type Guards, unguarded } from './db/transaction.ts';
import type { Deps } from './deps.ts';
import { fileJobs, sweepStaged } from './files/jobs.ts';
import { sweepHistory } from './history/write.ts';
import { inboxJobs } from './incoming-mail/inbox.ts';
import { sweepAttempts } from './limits/attempts.ts';
import { mailJobs } from './mail/worker.ts';
import { backupWarnings, readBackupState } from './moving/archive/backup-state.ts';
import { backUpWhenDue } from './moving/archive/schedule.ts';
import { workOnTransfers } from './moving/transfers/work.ts';
import { sweepTransfers } from './moving/transfers/write.ts';
import { indexWaiting } from './search/index-posts.ts';
import { startWarnings } from './system/warnings.ts';
import { sweepTagSets } from './tags/sweep.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

const compileCache = getCompileCacheDir();
const transferProcess = {
  program: programBeside(import.meta.url, 'transfer-process'),
  /** A low priority, because requests of readers come first. */
  niceness: 10,
  /** The parent of this process's folder: each version of Node.js has a folder in it. */
  compileCache: compileCache && dirname(compileCache),
};

/**
 * Starts the background jobs of this process. With the role `web` these are only those that no other process
 * can do. Returns a function that stops them once the running ones have ended.
 */
export function startJobs(deps: Deps): () => Promise<void> {
  const stops = jobsOf({ ...deps, ...unguarded }).map(job => runInBackground(deps.log, job));
  return async () => {
    await Promise.all(stops.map(stop => stop()));
    deps.mail.close();
  };
}

function jobsOf(deps: Deps & Guards): Job[] {
  const job = (everyMs: number, failure: string, run: (deps: Deps & Guards) => Promise<unknown>): Job => ({
    everyMs,
    failure,
    run: () => run(deps),
  });
  const sweep = (what: string, run: (deps: Deps & Guards) => Promise<unknown>, everyMs = hourMs) =>
    job(everyMs, `${what} could not be swept`, run);
  const tell = { ...job(dayMs, 'the place of the site could not be examined', tellOfPlace), isAtOnce: true };
  if (deps.config.role === 'web') {
    return [tell, job(hourMs, 'the files of abandoned uploads could not be removed', sweepStaged)];
  }
  return [
    tell,
    ...mailJobs(deps),
    ...inboxJobs(deps),
    ...fileJobs(deps),
    job(minuteMs, 'it could not be checked whether a backup is due', backUpWhenDue),
    job(secondMs, 'an import or an export could not be worked on', () =>
      workOnTransfers(deps, transferProcess),
    ),
    job(minuteMs, 'the search index could not be merged', ({ db, stopping }) =>
      dialectOf(db).postSearch.mergeParts(db, stopping),
    ),
    job(secondMs, 'posts with other tags could not be indexed', indexWaiting),
    sweep('attempts', sweepAttempts),
    sweep('sessions', sweepSessions),
    sweep('sign-ins that wait for a code', sweepPending),
    sweep('links in mails', sweepEmailLinks),
    sweep('known browsers', sweepBrowsers),
    sweep('decisions that can be undone', sweepUndoable),
    sweep('the history of rights', sweepHistory),
    sweep('invitations', sweepInvitations),
    sweep('proposals', sweepProposals),
    sweep('imports and exports', sweepTransfers),
    sweep('combinations of tags', sweepTagSets, minuteMs),
    // Often, so that each sweep is short: on SQLite all other writes wait for it.
    sweep('the record of changes', sweepChanges, minuteMs),
  ];
}

/** Tells the log, at the start and each day, what about the place of the site should not stay as it is. */
async function tellOfPlace(deps: Deps): Promise<void> {
  const { db, config, clock, log } = deps;
  const { backupAt } = await deps.settings();
  const ofBackups = config.hasPublicUrl ? backupWarnings(await readBackupState(db), backupAt, clock()) : [];
  for (const sentence of [...(await startWarnings(deps)), ...ofBackups]) log.warn(sentence);
}
