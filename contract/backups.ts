import { z } from 'zod';
import { operation } from './operation.ts';
import { Moment } from './values.ts';

/** An archive that was written, read back, and found to be whole. */
export const Backup = z.object({
  name: z.string(),
  /** The folder, or the store without its keys. */
  where: z.string(),
  /** Of which moment it is, and when it was read back. */
  createdAt: Moment,
  verifiedAt: Moment,
  bytes: z.int().nonnegative(),
  posts: z.int().nonnegative(),
  files: z.int().nonnegative(),
  /** Files whose bytes were not there any more. */
  missing: z.int().nonnegative(),
  /** What opens it where it is encrypted. */
  openedBy: z.enum(['key', 'passphrase']).nullable().default(null),
});

export const backupOperations = {
  getBackupState: operation({
    for: 'admin',
    scope: 'read',
    summary: 'The last backup that was read back and found whole, and what went wrong since.',
    input: z.strictObject({}).nullish(),
    output: z.object({
      /** Null where none is set. `at` is a time of the day in the site's time zone. */
      schedule: z.object({ at: z.string(), keep: z.int(), where: z.string() }).nullable(),
      last: Backup.nullable(),
      /** Why there is none newer. */
      failure: z.object({ at: Moment, error: z.string() }).nullable(),
      /** There should be a newer one. */
      isLate: z.boolean(),
    }),
  }),
};
