import type { Kysely } from 'kysely';
import type { Tables } from '../db/tables.ts';
import type { WriteDeps } from '../deps.ts';
import { recordHistory } from '../history/write.ts';
import { queueNotice } from '../mail/write.ts';
import { namedAccount } from './read.ts';

/**
 * Removes the passkeys of an account whose owner shows for the first time that they read its mailbox: passkeys from before may
 * be a stranger's, who signed up with the address. The owner is told which by mail, and so is the history of rights.
 */
export async function removeUnprovenPasskeys(
  trx: Kysely<Tables>,
  context: Pick<WriteDeps, 'by' | 'clock'>,
  userId: string,
): Promise<void> {
  const removed = await trx
    .deleteFrom('passkeys')
    .where('user_id', '=', userId)
    .returning(['id', 'name'])
    .execute();
  if (removed.length === 0) return;
  const name = removed.map(passkey => `‘${passkey.name}’`).join(', ');
  await queueNotice(trx, context.clock(), userId, 'unproven-passkeys-removed', { name });
  const user = await namedAccount(trx, userId);
  await recordHistory(
    trx,
    context,
    ...removed.map(thing => ({ kind: 'passkey-removed' as const, user, thing })),
  );
}
