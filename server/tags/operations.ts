import type { tagOperations } from '../../contract/tags.ts';
import type { Handlers } from '../access/context.ts';
import { listManagedTags, listTags } from './read.ts';
import { addTag, deleteTag, renameTag } from './write.ts';

export const tagHandlers: Handlers<typeof tagOperations> = {
  getTags: async deps => ({ tags: listTags(await deps.catalogue(), deps.viewer) }),
  getManagedTags: async ({ db }) => ({ tags: await listManagedTags(db) }),
  addTag: (deps, { name }) => addTag(deps, name),
  renameTag: async (deps, { tagId, name }) => ({ tag: await renameTag(deps, tagId, name) }),
  deleteTag: async (deps, { tagId }) => {
    await deleteTag(deps, tagId);
    return {};
  },
};
