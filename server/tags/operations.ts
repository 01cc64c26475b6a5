import type { tagOperations } from '../../contract/tags.ts';
import type { Handlers } from '../deps.ts';
import { getManagedTag, listManagedTags, listTags } from './read.ts';
import { addTag, deleteTag, renameTag } from './write.ts';

export const tagHandlers: Handlers<typeof tagOperations> = {
  getTags: async deps => ({ tags: listTags(await deps.catalogue(), deps.viewer) }),
  getManagedTags: async ({ db }) => ({ tags: await listManagedTags(db) }),
  addTag: async (deps, { name }) => {
    const { id, isRestored } = await addTag(deps, name);
    return { tag: await getManagedTag(deps.db, id), isRestored };
  },
  renameTag: async (deps, { tagId, name }) => {
    await renameTag(deps, tagId, name);
    return { tag: await getManagedTag(deps.db, tagId) };
  },
  deleteTag: async (deps, { tagId }) => {
    await deleteTag(deps, tagId);
    return {};
  },
};
