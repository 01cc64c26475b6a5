import type { linkOperations } from '../../contract/links.ts';
import type { Handlers } from '../access/context.ts';
import type { FileStore } from '../files/store/store.ts';
import { describePage } from './describe.ts';

export const linkHandlers: Handlers<typeof linkOperations, { files: FileStore }> = {
  describeLink: async (deps, { url }) => await describePage(deps, deps.viewer, new URL(url)),
};
