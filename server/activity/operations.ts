import type { activityOperations } from '../../contract/activity.ts';
import type { Handlers } from '../deps.ts';
import { listLikedPosts, listOwnComments } from './read.ts';

export const activityHandlers: Handlers<typeof activityOperations> = {
  getLikedPosts: (deps, input) => listLikedPosts(deps, deps.viewer, input?.after),
  getOwnComments: (deps, input) => listOwnComments(deps, deps.viewer, input?.after),
};
