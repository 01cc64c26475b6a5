import type { commentOperations } from '../../contract/comments.ts';
import type { Handlers } from '../access/context.ts';
import { accountOf } from '../access/viewer.ts';
import type { Limits } from '../limits/rate-limits.ts';
import { listComments, listOwnComments } from './read.ts';
import { addComment, deleteComment } from './write.ts';

export const commentHandlers: Handlers<typeof commentOperations, { limits: Limits }> = {
  listComments: async (deps, { postId, after }) => await listComments(deps, deps.viewer, postId, after),
  getOwnComments: async (deps, input) => await listOwnComments(deps, deps.viewer, input?.after),
  addComment: async (deps, input) =>
    await addComment(deps, deps.viewer, input, trx =>
      deps.limits.takeComment({ db: trx, clock: deps.clock }, accountOf(deps.viewer).id),
    ),
  deleteComment: async (deps, { commentId }) => ({
    commentCount: await deleteComment(deps, deps.viewer, commentId),
  }),
};
