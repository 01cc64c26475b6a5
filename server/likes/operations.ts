import type { likeOperations } from '../../contract/likes.ts';
import type { Handlers } from '../access/context.ts';
import { listLikedPosts, listLikes } from './read.ts';
import { setLike } from './write.ts';

export const likeHandlers: Handlers<typeof likeOperations> = {
  setLike: async (deps, { postId, liked }) => ({
    liked,
    likeCount: await setLike(deps, deps.viewer, postId, liked),
  }),
  listLikes: async (deps, { postId }) => await listLikes(deps, deps.viewer, postId),
  getLikedPosts: async (deps, input) => await listLikedPosts(deps, deps.viewer, input?.after),
};
