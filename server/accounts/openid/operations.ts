import type { openidOperations } from '../../../contract/accounts/openid.ts';
import { AppError } from '../../../contract/errors.ts';
import type { Handlers } from '../../access/context.ts';
import { accountOf } from '../../access/viewer.ts';
import type { AccountContext } from '../context.ts';
import { askRecentSignIn } from '../sign-in/passwords.ts';
import { disconnectPerson } from './accounts.ts';
import { keepFlow } from './flow.ts';

export const openidHandlers: Handlers<typeof openidOperations, AccountContext> = {
  connectOpenid: async deps => {
    const { openid, credential } = deps;
    if (openid === undefined)
      throw new AppError('failed-precondition', 'This site has no sign-in with a provider.');
    if (credential?.kind !== 'session') throw new AppError('unauthenticated', 'Please log in first.');
    await askRecentSignIn(deps);
    const { url, flow } = await openid.begin({ kind: 'connect', sessionId: credential.id });
    keepFlow(deps, flow);
    return { url: url.href };
  },
  disconnectOpenid: async deps => {
    await disconnectPerson(deps, accountOf(deps.viewer).id);
    return {};
  },
};
