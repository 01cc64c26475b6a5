import type { Caller } from '../../contract/operation.ts';
import type { Actor, DbContext, Guards } from '../db/transaction.ts';
import type { RequestContext } from './context.ts';
import { holdRights } from './hold-rights.ts';
import { requireRecentSignIn } from './recent-sign-in.ts';
import type { Identity } from './viewer.ts';

/**
 * The guards of what a caller writes outside operations, such as uploads; `caller` is who may write it.
 * Operations get theirs by `invoke`.
 */
export function guardsOf(deps: Pick<DbContext, 'clock'>, who: Identity, caller: Caller): Guards {
  return {
    holdRights: trx => holdRights(trx, who, caller),
    requireRecentSignIn: trx => requireRecentSignIn(trx, deps, who.credential),
  };
}

/** The caller, as the history of rights names it. */
export function actorOf({ viewer, credential, network }: Identity & Pick<RequestContext, 'network'>): Actor {
  const isToken = credential?.kind === 'token';
  return {
    user: viewer.user,
    via: isToken ? 'token' : 'browser',
    viaName: isToken ? credential.name : null,
    address: network,
  };
}
