import type { postOperations } from '../../contract/posts.ts';
import { accountOf } from '../access/viewer.ts';
import type { Handlers } from '../handlers.ts';
import { setLike } from '../likes/write.ts';
import { getPost, listAllPosts, listPosts } from './read.ts';
import { createPost, deletePost, updatePost } from './write.ts';

export const postHandlers: Handlers<typeof postOperations> = {
  getPosts: async (deps, { page, after, filtTags, isAdmin }) => {
    const list = isAdmin ? listAllPosts : listPosts;
    return await list(deps, deps.viewer, { page, after, tags: filtTags ?? [] });
  },
  getPost: async (deps, { postId }) => ({ post: await getPost(deps, deps.viewer, postId) }),
  createPost: async (deps, input) => {
    const id = await createPost(deps, accountOf(deps.viewer).id, input);
    return { post: await getPost(deps, deps.viewer, id) };
  },
  updatePost: async (deps, { postId, version, ...input }) => {
    await updatePost(deps, postId, input, version);
    return { post: await getPost(deps, deps.viewer, postId) };
  },
  deletePost: async (deps, { postId }) => {
    await deletePost(deps, postId);
    return {};
  },
  setLike: async (deps, { postId, liked }) => ({
    liked,
    likeCount: await setLike(deps, deps.viewer, postId, liked),
  }),
};
