import { AppError } from '../../../contract/errors.ts';
import { inTransaction, type WriteContext } from '../../db/transaction.ts';
import { recordHistory } from '../../history/write.ts';
import { writeFace } from '../profile/face.ts';
import { lockUser } from './decide.ts';

/**
 * Mutes a member or unmutes them. Throws not-found; failed-precondition for an admin, who could unmute
 * themselves.
 */
export async function setMuted(context: WriteContext, userId: string, isMuted: boolean): Promise<void> {
  await inTransaction(context, async trx => {
    const user = await lockUser(trx, userId);
    if (isMuted && user.is_admin) throw new AppError('failed-precondition', 'An admin cannot be muted.');
    if (Boolean(user.is_muted) === isMuted) return;
    await trx.updateTable('users').set({ is_muted: isMuted }).where('id', '=', userId).execute();
    await recordHistory(trx, context, {
      kind: isMuted ? 'member-muted' : 'member-unmuted',
      user: user.id,
    });
  });
}

/** Removes the picture of an account; its owner may choose another. Throws not-found. */
export async function removeFace(context: WriteContext, userId: string): Promise<void> {
  await inTransaction(context, async trx => {
    const user = await lockUser(trx, userId);
    if (user.image === null) return;
    await writeFace(trx, userId, null);
    await recordHistory(trx, context, { kind: 'face-removed', user: user.id });
  });
}
