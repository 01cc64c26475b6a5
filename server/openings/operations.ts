import type { openingOperations } from '../../contract/openings.ts';
import type { Handlers } from '../access/context.ts';
import type { MemberContext } from '../access/effects.ts';
import { countOpening } from './count.ts';
import { getOpenings } from './read.ts';

export const openingHandlers: Handlers<typeof openingOperations, MemberContext> = {
  countOpening: async (deps, { postId }) => {
    await countOpening(deps, deps.viewer, deps.requestHeaders, postId);
    return {};
  },
  getOpenings: (deps, { postIds }) => getOpenings(deps, deps.viewer, postIds),
};
