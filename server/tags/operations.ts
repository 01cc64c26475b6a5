import type { tagOperations } from '../../contract/tags.ts';
import type { Handlers } from '../handlers.ts';
import { listTags } from './read.ts';

export const tagHandlers: Handlers<typeof tagOperations> = {
  getTags: async deps => ({ tags: listTags(await deps.catalogue(), deps.viewer) }),
};
