import type { Kysely } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import { isAdminAccount } from '../access/user-counts.ts';
import { asksForCode } from '../accounts/pending-sign-in.ts';
import { readSetting, writeSetting } from '../db/setting.ts';
import type { Tables } from '../db/tables.ts';
import { inTransaction } from '../db/transaction.ts';
import type { WriteDeps } from '../deps.ts';
import { recordHistory } from '../history/write.ts';

/** Whether the site requires a second factor of admins. `accountRows` (access/viewer.ts) holds them to it. */
export async function isRequiredOfAdmins(db: Kysely<Tables>): Promise<boolean> {
  return (await readSetting(db, 'admin-factor')) === 'required';
}

/** Writes accounts whose rights a second factor changes: the record of changes tells so of every account that is written. */
export function touchAccounts(trx: Kysely<Tables>) {
  return trx.updateTable('users').set(eb => ({ name: eb.ref('name') }));
}

/**
 * Requires a second factor of admins, or none. Throws failed-precondition for an admin who requires it and has none: they
 * would lose their rights by it.
 */
export async function setAdminFactor(
  context: WriteDeps,
  adminId: string,
  isRequired: boolean,
): Promise<void> {
  await inTransaction(context, async trx => {
    await context.requireRecentSignIn?.(trx);
    if (isRequired && !(await asksForCode(trx, adminId))) {
      throw new AppError(
        'failed-precondition',
        'Turn on the second factor of your own account first, on your account page.',
      );
    }
    const value = isRequired ? 'required' : 'optional';
    await writeSetting(trx, 'admin-factor', value);
    await touchAccounts(trx).where(isAdminAccount).execute();
    await recordHistory(trx, context, { kind: 'admin-factor-changed', after: value });
  });
}
