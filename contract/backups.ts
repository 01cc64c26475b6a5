import { z } from 'zod';
import { operation } from './operation.ts';
import { Moment } from './values.ts';

/** An archive that was written, read back and found complete. */
export const Backup = z.object({
  name: z.string(),
  /** The folder, or the object store without its keys; null for an export made in the browser. */
  where: z.string().nullable(),
  /** The moment of its content, and when it was read back. */
  createdAt: Moment,
  verifiedAt: Moment,
  bytes: z.int().nonnegative(),
  posts: z.int().nonnegative(),
  files: z.int().nonnegative(),
  /** Files whose bytes were missing. */
  missing: z.int().nonnegative(),
  /** What decrypts it; null if it is not encrypted. */
  openedBy: z.enum(['key', 'passphrase']).nullable().default(null),
});

/** A backup of the schedule, as the last one left it in its place. */
export const KeptBackup = z.object({
  name: z.string(),
  storedAt: Moment,
  bytes: z.int().nonnegative(),
});

/** An archive that was restored on trial. */
export const Rehearsal = z.object({
  at: Moment,
  posts: z.int().nonnegative(),
  /** How many rules the restored site breaks; null if it could not be restored. */
  broken: z.int().nonnegative().nullable(),
  seconds: z.number().nonnegative(),
});

/** The archive that the site was restored from; not of a site that has only moved. */
export const Restored = z.object({
  at: Moment,
  /** The name of its file, and the moment of its content. */
  name: z.string(),
  createdAt: Moment,
});

const BackupState = z.object({
  /** Whether a backup was requested and has not begun. */
  isWanted: z.boolean(),
  /** Null if none is set. `at` is a time of day in the site's time zone. */
  schedule: z.object({ at: z.string(), keep: z.int(), where: z.string() }).nullable(),
  last: Backup.nullable(),
  /** The last trial by `coterie export --rehearse`. */
  rehearsal: Rehearsal.nullable(),
  /** Why there is no newer one. */
  failure: z
    .object({
      at: Moment,
      error: z.string(),
      /** Whether it is tried only once a day because it crashed the server repeatedly. */
      isDaily: z.boolean(),
    })
    .nullable(),
  /** The newest first. */
  kept: z.array(KeptBackup),
  /** Whether they are in the data folder, which is lost together with the site. */
  isBesideSite: z.boolean(),
  /** Null for a site that was not restored. */
  restored: Restored.nullable(),
  /** Whether a newer backup is overdue. */
  isLate: z.boolean(),
  /** Whether there are backups, and none was restored on trial without problems. */
  isUntried: z.boolean(),
});

export const backupOperations = {
  getBackupState: operation({
    for: 'admin',
    scope: 'read',
    summary: 'The last backup or export that was verified, and what has failed since.',
    output: BackupState,
  }),
  requestBackup: operation({
    for: 'admin',
    scope: 'members',
    summary: 'Requests a backup. It begins within a minute.',
    output: BackupState,
  }),
};
