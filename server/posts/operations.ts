import type { postOperations } from '../../contract/posts.ts';
import type { Handlers } from '../access/context.ts';
import { blockStarts } from '../markdown/block-starts.ts';
import { renderText } from '../markdown/render-text.ts';
import { type CacheDeps, getCachedPost } from './caches.ts';
import { listAllPosts, listSitePages, listTimeline } from './list.ts';
import { listManagedPosts } from './manage.ts';
import { createPost, deletePost, type PostContext, setPinned, updatePost } from './write.ts';

export const postHandlers: Handlers<typeof postOperations, CacheDeps & PostContext> = {
  getPosts: async (deps, { page, after, filtTags, isAdmin, withContent }) => {
    const list = isAdmin ? listAllPosts : listTimeline;
    return await list(deps, deps.viewer, { page, after, tags: filtTags ?? [], withContent });
  },
  getPost: (deps, { postId, withContent }) => getCachedPost(deps, deps.viewer, postId, withContent),
  getPages: async deps => ({ pages: await listSitePages(deps, deps.viewer) }),
  listPosts: (deps, request) => listManagedPosts(deps, deps.viewer, request),
  previewPost: async ({ viewer }, { content, type }) => {
    const { html } = await renderText(content, {
      idPrefix: 'preview-',
      by: viewer.user?.id,
      keepsLines: type === 'short',
    });
    return { html, blockStarts: blockStarts(html) };
  },
  createPost: async (deps, { saveKey, ...input }) => ({
    post: await createPost(deps, deps.viewer, input, saveKey),
  }),
  updatePost: async (deps, { postId, version, tellsNewReaders, ...input }) => ({
    post: await updatePost(deps, deps.viewer, postId, input, { version, tellsNewReaders }),
  }),
  setPinned: async (deps, { postId, isPinned }) => {
    await setPinned(deps, deps.viewer, postId, isPinned);
    return {};
  },
  deletePost: async (deps, { postId }) => {
    await deletePost(deps, deps.viewer, postId);
    return {};
  },
};
