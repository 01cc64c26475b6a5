import type { Kysely, Transaction } from 'kysely';
import { z } from 'zod';
import { Backup as BackupSchema, KeptBackup, Rehearsal, Restored } from '../../../contract/backups.ts';
import { moment } from '../../../contract/date.ts';
import type { Output } from '../../../contract/operations.ts';
import type { SiteSettings } from '../../../contract/site-settings.ts';
import { isAdminAccount } from '../../access/user-counts.ts';
import { dayMs, hourMs } from '../../base/clock.ts';
import type { Config } from '../../config.ts';
import { lockSetting, readSetting, writeSetting } from '../../db/setting.ts';
import type { Tables } from '../../db/tables.ts';
import { type DbContext, inTransaction, unguarded, type WriteContext } from '../../db/transaction.ts';
import { webhookMails } from '../../mail/webhooks/queue.ts';
import { queueMail } from '../../mail/write.ts';
import { placeOf } from './backup-place.ts';
import type { Manifest } from './format.ts';

export type Backup = z.output<typeof BackupSchema>;

/** Stored among the settings, and written by every process and the command line. Times are milliseconds. */
const State = z.object({
  last: BackupSchema.nullable(),
  /** The last one that an admin exported in the browser; the schedule ignores it. */
  exported: BackupSchema.nullable().default(null),
  failure: z
    .object({
      at: z.number(),
      error: z.string(),
      /** How many processes in a row were killed while making the backup. */
      kills: z.number().default(0),
    })
    .nullable(),
  /**
   * Names of backups since `last` that were not read back, for example because their place was unreachable:
   * they may be complete or not.
   */
  unread: z.array(z.string()).default([]),
  /** What the last scheduled or requested backup left in its place, the newest first. */
  kept: z.array(KeptBackup).default([]),
  rehearsal: Rehearsal.nullable().default(null),
  restored: Restored.nullable().default(null),
});
type State = z.output<typeof State>;
const noBackup: State = {
  last: null,
  exported: null,
  failure: null,
  unread: [],
  kept: [],
  rehearsal: null,
  restored: null,
};

/** After a backup has killed this many processes, such as by its memory, it is tried only once a day. */
export const maxKills = 5;

/**
 * A daily backup may be this old before it counts as late; without a schedule one a week is expected, with a
 * day to spare.
 */
const lateMs = 36 * hourMs;
const weekMs = 7 * dayMs;
const lateWithoutScheduleMs = 8 * dayMs;

export async function readBackupState(db: Kysely<Tables>): Promise<State> {
  const state = await readSetting(db, 'backup');
  return state === undefined ? noBackup : State.parse(JSON.parse(state));
}

/**
 * The newest archive that was read back, which determines the age of backups. An export in the browser counts
 * only without a schedule: it is deleted after a day, and must not hide that the schedule fails.
 */
export function newestBackup({ last, exported }: State, backupAt: string): Backup | null {
  if (backupAt !== '') return last;
  if (last === null || exported === null) return last ?? exported;
  return exported.createdAt > last.createdAt ? exported : last;
}

/** Sentences about backups that a site which others reach should have. */
export function backupWarnings(state: State, backupAt: string, now: number): string[] {
  const last = newestBackup(state, backupAt);
  const found: string[] = [];
  if (isBackupLate(last, backupAt, now)) found.push('There is no recent backup that was read back.');
  if (isUntried(last, state))
    found.push('No backup was restored on trial without problems: “coterie export --rehearse” tries it.');
  return found;
}

/** Whether there are backups, and none was restored on trial without problems. */
const isUntried = (last: Backup | null, { rehearsal }: State) => last !== null && rehearsal?.broken !== 0;

/** Records a backup that was read back. The command line may do so at the same time. */
export async function noteBackup(db: Kysely<Tables>, changed: Partial<State>): Promise<void> {
  await inTransaction({ db, ...unguarded }, trx => writeState(trx, changed));
}

/** Records which archive a site was restored from, in the transaction that restores it. */
export async function noteRestored(
  trx: Transaction<Tables>,
  restored: NonNullable<State['restored']>,
): Promise<void> {
  // The backups of before may be elsewhere.
  await writeState(trx, { restored, kept: [] });
}

/** Records why there is no new backup, and mails every admin: at most once a week until there is one. */
export async function noteFailure({ db, clock }: DbContext, error: string, kills = 0): Promise<void> {
  const at = clock();
  await inTransaction({ db, ...unguarded }, async trx => {
    const { last } = await writeState(trx, { failure: { at, error, kills } });
    const admins = await trx.selectFrom('users').select('id').where(isAdminAccount).execute();
    const streak = `${last?.createdAt ?? 'none'}:${Math.floor(at / weekMs)}`;
    const mails = admins.map(({ id }) => ({
      kind: 'backup-failed' as const,
      userId: id,
      once: `backup-failed:${id}:${streak}`,
      data: { error, ...(last !== null && { last: last.createdAt }) },
    }));
    await queueMail(trx, at, ...mails, ...(await webhookMails(trx, 'backup-failed', streak)));
  });
}

async function writeState(trx: Transaction<Tables>, changed: Partial<State>): Promise<State> {
  await lockSetting(trx, 'backup', JSON.stringify(noBackup));
  const state = { ...(await readBackupState(trx)), ...changed };
  await writeSetting(trx, 'backup', JSON.stringify(state));
  return state;
}

/** Why an archive may not replace the last one: more files are missing. Undefined if it may. */
export async function lacksMore(
  db: Kysely<Tables>,
  { missing }: Pick<Manifest, 'missing'>,
): Promise<string | undefined> {
  const before = newestBackup(await readBackupState(db), '')?.missing ?? 0;
  if (missing.length <= before) return undefined;
  const files = missing.length === 1 ? '1 file' : `${missing.length} files`;
  return (
    `The bytes of ${files} were not there, ${before} at the backup before. Is a volume not mounted? ` +
    '`coterie doctor` names the files. Earlier backups are kept; where the files are lost for good, ' +
    '`coterie export --accept-missing` makes an archive without them that counts as a backup.'
  );
}

/** Requests a backup: the process that makes them begins it within a minute. */
export async function requestBackup(context: WriteContext): Promise<void> {
  await inTransaction(context, trx => writeSetting(trx, 'backup-wanted', String(context.clock())));
}

export async function getBackupState({
  db,
  clock,
  settings,
  config,
}: DbContext & { settings: () => Promise<SiteSettings>; config: Config }): Promise<Output<'getBackupState'>> {
  const state = await readBackupState(db);
  const { failure, kept, rehearsal, restored } = state;
  const { backupAt: at, backupKeep: keep } = await settings();
  const last = newestBackup(state, at);
  return {
    schedule: at === '' ? null : { at, keep, where: placeOf(config) },
    isWanted: (await readSetting(db, 'backup-wanted')) !== undefined,
    last,
    kept,
    isBesideSite: config.backupUrl === undefined,
    rehearsal,
    restored,
    failure: failure && {
      at: moment(failure.at),
      error: failure.error,
      isDaily: failure.kills >= maxKills,
    },
    isLate: isBackupLate(last, at, clock()),
    isUntried: isUntried(last, state),
  };
}

/** Whether the last backup, if any, is older than it should be; `backupAt` is the time of the schedule. */
export function isBackupLate(last: { createdAt: string } | null, backupAt: string, now: number): boolean {
  if (last === null) return true;
  return now - Date.parse(last.createdAt) > (backupAt === '' ? lateWithoutScheduleMs : lateMs);
}
