import { ECDH } from 'node:crypto';
import { AppError } from '../../../contract/errors.ts';
import type { pushOperations } from '../../../contract/push.ts';
import type { Handlers } from '../../access/context.ts';
import { accountOf, type CredentialKey } from '../../access/viewer.ts';
import { inTransaction } from '../../db/transaction.ts';
import { pushKeys } from './keys.ts';

/** The most browsers of an account that are notified: the newest. */
const browsersPerAccount = 10;

export const pushHandlers: Handlers<typeof pushOperations, { secret: string }> = {
  getPush: async ({ db, secret, credential }) => {
    const own = db
      .selectFrom('push_subscriptions')
      .select('session_id')
      .where('session_id', '=', sessionOf(credential));
    return { publicKey: pushKeys(secret).publicKey, isOn: (await own.executeTakeFirst()) !== undefined };
  },
  startPush: async (deps, { endpoint, keys }) => {
    const { clock, secret, credential, viewer } = deps;
    requirePoint(keys.p256dh);
    const userId = accountOf(viewer).id;
    const row = { user_id: userId, endpoint, ...keys, created_at: clock() };
    await inTransaction(deps, async trx => {
      // A browser is only notified for its current session.
      await trx.deleteFrom('push_subscriptions').where('endpoint', '=', endpoint).execute();
      await trx
        .insertInto('push_subscriptions')
        .values({ session_id: sessionOf(credential), ...row })
        .onConflict(conflict => conflict.column('session_id').doUpdateSet(row))
        .execute();
      const others = await trx
        .selectFrom('push_subscriptions')
        .select('session_id')
        .where('user_id', '=', userId)
        .where('endpoint', '<>', endpoint)
        .orderBy('created_at', 'desc')
        .execute();
      const ended = others.slice(browsersPerAccount - 1).map(other => other.session_id);
      if (ended.length > 0)
        await trx.deleteFrom('push_subscriptions').where('session_id', 'in', ended).execute();
    });
    return { publicKey: pushKeys(secret).publicKey, isOn: true };
  },
  stopPush: async deps => {
    await inTransaction(deps, async trx => {
      await trx
        .deleteFrom('push_subscriptions')
        .where('session_id', '=', sessionOf(deps.credential))
        .execute();
    });
    return { publicKey: pushKeys(deps.secret).publicKey, isOn: false };
  },
};

/** The session of a caller; empty for a token, which no browser has. */
const sessionOf = (credential: CredentialKey | null) => (credential?.kind === 'session' ? credential.id : '');

/** Throws for a browser key that is not a point of its curve: nothing could be encrypted for it. */
function requirePoint(p256dh: string): void {
  try {
    ECDH.convertKey(p256dh, 'prime256v1', 'base64url');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new AppError('invalid-argument', 'The key of this browser is damaged.');
  }
}
