import type { pushOperations } from '../../../contract/push.ts';
import type { Handlers } from '../../access/context.ts';
import type { Credential } from '../../access/credentials.ts';
import { accountOf } from '../../access/viewer.ts';
import { inTransaction } from '../../db/transaction.ts';
import { pushKeys } from './keys.ts';

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
    const row = { user_id: accountOf(viewer).id, endpoint, ...keys, created_at: clock() };
    await inTransaction(deps, async trx => {
      // Of one browser only its present session is told.
      await trx.deleteFrom('push_subscriptions').where('endpoint', '=', endpoint).execute();
      await trx
        .insertInto('push_subscriptions')
        .values({ session_id: sessionOf(credential), ...row })
        .onConflict(conflict => conflict.column('session_id').doUpdateSet(row))
        .execute();
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
const sessionOf = (credential: Credential | null) => (credential?.kind === 'session' ? credential.id : '');
