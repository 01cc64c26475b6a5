import type { memberOperations } from '../../contract/members.ts';
import { describeViewer, viewerOfUser, visitor } from '../access/viewer.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../handlers.ts';
import { signIn, signOut, signUp } from './accounts.ts';
import { setUpSite } from './setup.ts';

async function describeUser({ db, catalogue }: Deps, userId: string) {
  return describeViewer(await viewerOfUser(db, userId, (await catalogue()).defaultTagIds));
}

export const memberHandlers: Handlers<typeof memberOperations> = {
  getViewer: async ({ viewer }) => describeViewer(viewer),
  signUp: async (deps, account) => await describeUser(deps, await signUp(deps, account)),
  signIn: async (deps, credentials) => await describeUser(deps, await signIn(deps, credentials)),
  signOut: async deps => {
    await signOut(deps);
    return describeViewer(visitor((await deps.catalogue()).defaultTagIds));
  },
  setUpSite: async (deps, { token, account }) =>
    await describeUser(deps, await setUpSite(deps, token, account)),
};
