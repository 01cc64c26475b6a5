import type { tagOperations } from '../../contract/tags.ts';
import type { Handlers } from '../deps.ts';
import { getManagedTag, listManagedTags, listTags } from './read.ts';
import { addTag, deleteTag, renameTag } from './write.ts';

export const tagHandlers: Handlers<typeof tagOperations> = {
  getTags: async deps => ({ tags: listTags(await deps.catalogue(), deps.viewer) }),
  getManagedTags: async ({ db }) => ({ tags: await listManagedTags(db) }),
  addTag: async ({ db }, { name }) => {
    const { id, isRestored } = await addTag(db, name);
    return { tag: await getManagedTag(db, id), isRestored };
  },
  renameTag: async ({ db }, { tagId, name }) => {
    await renameTag(db, tagId, name);
    return { tag: await getManagedTag(db, tagId) };
  },
  deleteTag: async ({ db }, { tagId }) => {
    await deleteTag(db, tagId);
    return {};
  },
};
