import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { KeptBackup } from '../../../contract/backups.ts';
import { moment } from '../../../contract/date.ts';
import { AppError } from '../../../contract/errors.ts';
import type { SiteSettings } from '../../../contract/site-settings.ts';
import { lastTimeOfDay } from '../../base/calendar.ts';
import { hourMs, stampOf } from '../../base/clock.ts';
import type { ChangeRecord } from '../../db/changes/record.ts';
import { whileLeased } from '../../db/lease.ts';
import { forget, isRemembered, remember } from '../../db/marks.ts';
import { isOutage, withCause } from '../../db/outage.ts';
import { readSetting } from '../../db/setting.ts';
import type { FileStore } from '../../files/store/store.ts';
import { openBackupPlace, placeOf } from './backup-place.ts';
import {
  type Backup,
  lacksMore,
  maxKills,
  noteBackup,
  noteFailure,
  readBackupState,
} from './backup-state.ts';
import type { ArchiveContext, Exported } from './export.ts';
import { siteOf } from './format.ts';

type Kept = z.output<typeof KeptBackup>;

/** How many kept backups are listed. */
const keptListed = 31;

type Scheduled = ArchiveContext & {
  changes: ChangeRecord;
  settings: () => Promise<SiteSettings>;
  stopping: AbortSignal;
  log: Logger;
};

/** The pause before a retry after a failure, in milliseconds. */
const againMs = hourMs;
/**
 * A mark that exists while a backup is being made, and stays if the process is killed. Not a setting, because
 * settings are archived: a restored site would mistake its own backup for a killed one.
 */
export const backupBegun = 'backup begun';
const backupBegunSeconds = 30 * 24 * 60 * 60;

/**
 * Makes the scheduled backup when it is due, in one process for all. It counts as made once it was read back
 * from its place. A failure is recorded for the admins, and the backup is tried again.
 */
export async function backUpWhenDue(scheduled: Scheduled): Promise<void> {
  const { db, changes, settings, clock, stopping, log } = scheduled;
  await changes.caughtUp();
  const { backupAt: at } = await settings();
  if (!(await isDueOrWanted(scheduled, at))) return;
  await whileLeased(db, 'backup', clock, async () => {
    const wish = await readSetting(db, 'backup-wanted');
    // Another process may have made it since the check.
    if (!(await isDueOrWanted(scheduled, at))) return;
    if (!(await wasKilled(scheduled))) {
      try {
        const { backup, place } = await marked(scheduled, () => backUp(scheduled));
        await noteBackup(db, { last: backup, failure: null });
        log.info({ backup }, 'a backup was made and read back');
        await removeOld(scheduled, place).catch(error =>
          log.error({ err: error }, 'old backups were not removed, or the kept ones not listed'),
        );
      } catch (error) {
        if (stopping.aborted) return;
        const reason = isOutage(error)
          ? withCause(error)
          : error instanceof Error
            ? error.message
            : String(error);
        log.error({ err: error }, 'the backup failed; it is tried again in an hour');
        await noteFailure(scheduled, reason);
      }
    }
    await settle(scheduled, wish);
  });
}

/**
 * Deletes an admin's request for a backup once its result was recorded, good or bad: a process that is
 * stopped or killed before leaves the request to the next. A request made meanwhile stays.
 */
async function settle({ db }: Scheduled, wish: string | undefined): Promise<void> {
  if (wish === undefined) return;
  await db.deleteFrom('settings').where('name', '=', 'backup-wanted').where('value', '=', wish).execute();
}

/**
 * Keeps the mark while `act` runs. It is removed before anything is recorded about the backup, and as soon as
 * this process is asked to stop: the process may be ended while it uploads a large backup or reads it back,
 * and was not killed by it.
 */
async function marked<T>({ db, clock, stopping, log }: Scheduled, act: () => Promise<T>): Promise<T> {
  await remember({ db, clock }, backupBegun, backupBegunSeconds);
  let forgotten: Promise<void> | undefined;
  const removeMark = async () => await forget({ db }, backupBegun);
  const removeAtOnce = () => {
    forgotten = removeMark().catch(error => log.warn({ err: error }, 'the mark of a backup was not removed'));
  };
  stopping.addEventListener('abort', removeAtOnce, { once: true });
  try {
    stopping.throwIfAborted();
    return await act();
  } finally {
    stopping.removeEventListener('abort', removeAtOnce);
    await forgotten;
    await removeMark();
  }
}

/** Whether a backup is due at its time of the day, or an admin has requested one. */
async function isDueOrWanted(scheduled: Scheduled, at: string): Promise<boolean> {
  if ((await readSetting(scheduled.db, 'backup-wanted')) !== undefined) return true;
  return at !== '' && (await isDue(scheduled, at));
}

async function isDue({ db, settings, clock }: Scheduled, at: string): Promise<boolean> {
  const { timeZone } = await settings();
  const { last, failure } = await readBackupState(db);
  const now = clock();
  const due = lastTimeOfDay(now, at, timeZone);
  if (failure !== null && failure.at <= now) {
    if (now < failure.at + againMs) return false;
    if (failure.kills >= maxKills) return failure.at < due;
  }
  if (last === null) return true;
  return Date.parse(last.createdAt) < due;
}

/** Records a failure if the process that began the backup was killed. Called by the holder of the lease. */
async function wasKilled({ db, clock, log }: Scheduled): Promise<boolean> {
  if (!(await isRemembered({ db, clock }, backupBegun))) return false;
  const { failure } = await readBackupState(db);
  const kills = (failure?.kills ?? 0) + 1;
  const error = 'The server or its database stopped while it was made. The log of the system may say why.';
  log.error({ kills }, 'the process that made the backup ended in the middle');
  await noteFailure({ db, clock }, error, kills);
  await forget({ db }, backupBegun);
  return true;
}

/** Writes the backup to the data folder, moves it to its place, and reads it back there. */
async function backUp(scheduled: Scheduled): Promise<{ backup: Backup; place: FileStore }> {
  const { db, config, clock, stopping } = scheduled;
  // Loaded here: needed once a day.
  const { decrypt, endingOf } = await import('./encryption.ts');
  const { exportSite } = await import('./export.ts');
  const { verifyArchive } = await import('./verify.ts');
  const { unread, last } = await readBackupState(db);
  const place = await openBackupPlace(scheduled, last);
  const prefix = prefixOf(scheduled);
  const name = `${prefix}${stampOf(clock())}${endingOf(config.archiveEncryption)}`;
  const folder = join(config.dataDir, 'uploads');
  await mkdir(folder, { recursive: true });
  // Remains of a killed backup. It is tried again in an hour, long before a sweep, and is as large as the
  // site.
  for (const left of await readdir(folder)) {
    if (left.startsWith(prefix)) await rm(join(folder, left), { force: true });
  }
  const staged = join(folder, name);
  // Only the newest may be needed: while nothing can be read back, each hour makes one more.
  const earlier = [...(await removeBackups(scheduled, place, unread.slice(0, -1))), ...unread.slice(-1)];
  let exported: Exported;
  let bytes: number;
  try {
    exported = await exportSite(scheduled, staged, { stopping });
    bytes = (await stat(staged)).size;
    // Recorded before it is there, because this process may end before it is read back.
    await noteBackup(db, { unread: [...earlier, name] });
    await place.put(name, staged);
  } finally {
    await rm(staged, { force: true });
  }
  const { key } = exported;
  const read = () => place.read(name);
  const open = key === undefined ? read : () => decrypt(read(), key, name);
  try {
    await verifyArchive({ name, open });
  } catch (error) {
    // A backup that could not be read may be complete: it stays until a newer one was read.
    if (isDamage(error)) await place.remove(name).catch(() => {});
    throw error;
  }
  // It stays like one that could not be read: what it contains may be needed.
  const lacking = await lacksMore(db, exported.manifest);
  if (lacking !== undefined) throw new AppError('failed-precondition', lacking);
  // Earlier backups that could not be read would count among those that are kept, and push out a good one.
  await noteBackup(db, { unread: await removeBackups(scheduled, place, earlier) });
  return {
    backup: backupOf(exported, { name, where: placeOf(config), bytes, verifiedAt: clock() }),
    place,
  };
}

/** How the names of this site's backups begin: their place may hold backups of other sites. */
const prefixOf = ({ secret }: Scheduled) => `backup-${siteOf(secret).slice(0, 8)}-`;

/** Removes the oldest backups, and lists the others for the page Backups, which asks their place nothing. */
async function removeOld(scheduled: Scheduled, place: FileStore): Promise<void> {
  const { db, settings } = scheduled;
  const prefix = prefixOf(scheduled);
  const all: { key: string; storedAt: number }[] = [];
  for await (const stored of place.list())
    if (stored.key.startsWith(prefix) && /^[\w-]+\.tar(?:\.age)?$/.test(stored.key)) all.push(stored);
  all.sort((one, other) => (one.key < other.key ? -1 : 1));
  const { backupKeep } = await settings();
  const old = all.slice(0, -backupKeep).map(({ key }) => key);
  await removeBackups(scheduled, place, old);
  const kept: Kept[] = [];
  for (const { key, storedAt } of all.slice(-backupKeep).slice(-keptListed).toReversed())
    kept.push({ name: key, storedAt: moment(storedAt), bytes: (await place.size(key)) ?? 0 });
  await noteBackup(db, { kept });
}

/** Removes backups. Returns those that could not be removed; that does not fail a newer one. */
async function removeBackups(
  { log }: Scheduled,
  place: FileStore,
  names: readonly string[],
): Promise<string[]> {
  const left: string[] = [];
  for (const name of names) {
    try {
      await place.remove(name);
    } catch (error) {
      log.warn({ err: error, name }, 'an old backup was not removed');
      left.push(name);
    }
  }
  return left;
}

/** Whether an archive was read and differs from what was written; any other error is not about it. */
function isDamage(error: unknown): boolean {
  return error instanceof AppError && error.code === 'invalid-argument';
}

/** The record of an archive that was read back, as the page Backups shows it. */
export function backupOf(
  { manifest: { createdAt, kinds, files, missing }, encryption }: Pick<Exported, 'manifest' | 'encryption'>,
  { name, where, bytes, verifiedAt }: Pick<Backup, 'name' | 'where' | 'bytes'> & { verifiedAt: number },
): Backup {
  return {
    name,
    where,
    bytes,
    createdAt,
    verifiedAt: moment(verifiedAt),
    posts: kinds.posts?.rows ?? 0,
    files: files.count,
    missing: missing.length,
    openedBy: encryption === undefined ? null : 'recipients' in encryption ? 'key' : 'passphrase',
  };
}
