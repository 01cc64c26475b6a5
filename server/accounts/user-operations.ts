import type { userOperations } from '../../contract/accounts/users.ts';
import type { Handlers } from '../deps.ts';
import { approveUser, denyUser, setAdmin, setApprovedTags } from './decisions.ts';
import { getManagedUser, listManagedUsers } from './list.ts';

export const userHandlers: Handlers<typeof userOperations> = {
  getUsers: async (deps, request) => await listManagedUsers(deps, request),
  approveUser: async (deps, { userId, tags, seenStatus }) => {
    const tagIds = tags && (await deps.catalogue()).tagIdsOf(tags);
    await approveUser(deps, userId, { tagIds, seenStatus });
    return { user: await getManagedUser(deps, userId) };
  },
  denyUser: async (deps, { userId, seenStatus }) => {
    await denyUser(deps, userId, { seenStatus });
    return { user: await getManagedUser(deps, userId) };
  },
  setApprovedTags: async (deps, { userId, tags, seenTags }) => {
    const catalogue = await deps.catalogue();
    const seenTagIds = seenTags && catalogue.tagIdsOf(seenTags);
    await setApprovedTags(deps, userId, catalogue.tagIdsOf(tags), seenTagIds);
    return { user: await getManagedUser(deps, userId) };
  },
  setAdmin: async (deps, { userId, isAdmin }) => {
    await setAdmin(deps, userId, isAdmin);
    return { user: await getManagedUser(deps, userId) };
  },
};
