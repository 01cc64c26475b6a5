import type { userOperations } from '../../../contract/accounts/users.ts';
import { tagRefs } from '../../access/audience.ts';
import type { Handlers } from '../../access/context.ts';
import type { AccountContext } from '../context.ts';
import { approveUser, decideUsers, denyUser, setApprovedTags, undoDecision } from './decide.ts';
import { getManagedUser, getManagedUsers, listManagedUsers } from './list.ts';
import { removeFace, setMuted } from './moderate.ts';
import { setAdmin, setAuthor } from './roles.ts';

export const userHandlers: Handlers<typeof userOperations, AccountContext> = {
  getUsers: listManagedUsers,
  approveUser: async (deps, { userId, tags, tagIds: seenIds, version }) => {
    const tagIds = tags && (await deps.catalogue()).tagIdsOf(tagRefs(tags, seenIds));
    await approveUser(deps, userId, { tagIds, version });
    return { user: await getManagedUser(deps, userId) };
  },
  denyUser: async (deps, { userId, version }) => {
    await denyUser(deps, userId, { version });
    return { user: await getManagedUser(deps, userId) };
  },
  decideUsers: async (deps, { decisions }) => {
    const catalogue = await deps.catalogue();
    const refused = await decideUsers(
      deps,
      decisions.map(({ tags, tagIds, ...decision }) => ({
        ...decision,
        ...(decision.decision === 'approve' && { tagIds: tags && catalogue.tagIdsOf(tagRefs(tags, tagIds)) }),
      })),
    );
    const users = await getManagedUsers(
      deps,
      decisions.map(({ userId }) => userId),
    );
    return {
      results: decisions.map(({ userId }) => ({
        userId,
        user: users.get(userId) ?? null,
        failure: refused.get(userId) ?? null,
      })),
    };
  },
  undoDecision: async (deps, { userId, version }) => {
    const { wasMailed } = await undoDecision(deps, userId, { version });
    // Without a mail server the mail is in a folder, where the admin reads it.
    const isSent = wasMailed && deps.config.smtpUrl !== undefined;
    return { wasMailed: isSent, user: await getManagedUser(deps, userId) };
  },
  setApprovedTags: async (deps, { userId, tags, tagIds, version, tellsMember }) => {
    const chosen = (await deps.catalogue()).tagIdsOf(tagRefs(tags, tagIds));
    await setApprovedTags(deps, userId, chosen, { version, tellsMember });
    return { user: await getManagedUser(deps, userId) };
  },
  setAuthor: async (deps, { userId, isAuthor }) => {
    await setAuthor(deps, userId, isAuthor);
    return { user: await getManagedUser(deps, userId) };
  },
  setMuted: async (deps, { userId, isMuted }) => {
    await setMuted(deps, userId, isMuted);
    return { user: await getManagedUser(deps, userId) };
  },
  removeFace: async (deps, { userId }) => {
    await removeFace(deps, userId);
    return { user: await getManagedUser(deps, userId) };
  },
  setAdmin: async (deps, { userId, isAdmin }) => {
    await setAdmin(deps, userId, isAdmin);
    return { user: await getManagedUser(deps, userId) };
  },
};
