import type { Kysely } from 'kysely';
import { z } from 'zod';
import { Backup as BackupSchema } from '../../contract/backups.ts';
import { moment } from '../../contract/date.ts';
import type { Output } from '../../contract/operations.ts';
import { dayMs, hourMs } from '../clock.ts';
import { lockSetting, readSetting, writeSetting } from '../db/setting.ts';
import type { Tables } from '../db/tables.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Deps } from '../deps.ts';
import { placeOf } from './backup-place.ts';

export type Backup = z.output<typeof BackupSchema>;

/** Kept among the settings: every process, and the command line, writes the same. Times are milliseconds. */
const State = z.object({
  last: BackupSchema.nullable(),
  failure: z
    .object({
      at: z.number(),
      error: z.string(),
      /** How many processes were killed while they made the backup, one after the other. */
      kills: z.number().default(0),
    })
    .nullable(),
  /** Names of backups since `last` that were not read back, as when their place cannot be reached: they may be whole or not. */
  unread: z.array(z.string()).default([]),
});
type State = z.output<typeof State>;
const noBackup: State = { last: null, failure: null, unread: [] };

/** A backup that has killed so many processes, such as by the memory that it takes, is tried only once a day. */
export const maxKills = 5;

/**
 * A backup each day may be this old before somebody should look; without a schedule, one a week is expected, with a day to
 * spare.
 */
const lateMs = 36 * hourMs;
const lateWithoutScheduleMs = 8 * dayMs;

export async function readBackupState(db: Kysely<Tables>): Promise<State> {
  const state = await readSetting(db, 'backup');
  return state === undefined ? noBackup : State.parse(JSON.parse(state));
}

/** Notes a backup that was read back, or why there is none. The command line may do so at the same time. */
export async function noteBackup(db: Kysely<Tables>, news: Partial<State>): Promise<void> {
  await inTransaction({ db }, async trx => {
    await lockSetting(trx, 'backup', JSON.stringify(noBackup));
    await writeSetting(trx, 'backup', JSON.stringify({ ...(await readBackupState(trx)), ...news }));
  });
}

/** What an admin should know of the backups. */
export async function getBackupState({
  db,
  clock,
  config,
}: Pick<Deps, 'db' | 'clock' | 'config'>): Promise<Output<'getBackupState'>> {
  const { last, failure } = await readBackupState(db);
  const { backupAt: at, backupKeep: keep } = config;
  const age = last === null ? Number.POSITIVE_INFINITY : clock() - Date.parse(last.createdAt);
  return {
    schedule: at === undefined ? null : { at, keep, where: placeOf(config) },
    last,
    failure: failure && {
      at: moment(failure.at),
      error: failure.error,
      isDaily: failure.kills >= maxKills,
    },
    isLate: age > (at === undefined ? lateWithoutScheduleMs : lateMs),
  };
}
