import { inTransaction, type WriteContext } from '../../db/transaction.ts';
import { recordHistory } from '../../history/write.ts';
import { writeFace } from '../profile/face.ts';
import { accountOfRow, lockUser } from './decide.ts';

/** Removes the picture of an account; its owner may choose another. Throws not-found. */
export async function removeFace(context: WriteContext, userId: string): Promise<void> {
  await inTransaction(context, async trx => {
    const user = await lockUser(trx, userId);
    if (user.image === null) return;
    await writeFace(trx, userId, null);
    await recordHistory(trx, context, { kind: 'face-removed', user: accountOfRow(user) });
  });
}
