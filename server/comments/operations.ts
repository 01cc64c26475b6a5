import type { Kysely } from 'kysely';
import type { commentOperations } from '../../contract/comments.ts';
import { moment } from '../../contract/date.ts';
import type { Handlers, Invocation } from '../access/context.ts';
import { accountOf } from '../access/viewer.ts';
import type { Tables } from '../db/tables.ts';
import type { Limits } from '../limits/rate-limits.ts';
import { setCommentsClosed } from './closing.ts';
import { editComment } from './edit.ts';
import { dismissReports, setHidden } from './moderate.ts';
import { listComments, listOwnComments } from './read.ts';
import { listReportedComments, reportComment } from './report.ts';
import { addComment, deleteComment } from './write.ts';

type Limited = { limits: Limits };

export const commentHandlers: Handlers<typeof commentOperations, Limited> = {
  listComments: async (deps, input) => await listComments(deps, deps.viewer, input),
  getOwnComments: async (deps, input) => await listOwnComments(deps, deps.viewer, input?.after),
  addComment: async (deps, input) => await addComment(deps, deps.viewer, input, limitOf(deps)),
  editComment: async (deps, input) => await editComment(deps, deps.viewer, input, limitOf(deps)),
  deleteComment: async (deps, { commentId }) => await deleteComment(deps, deps.viewer, commentId),
  reportComment: async (deps, input) => {
    await reportComment(deps, deps.viewer, input, limitOf(deps));
    return {};
  },
  listReportedComments: async (deps, input) => await listReportedComments(deps, deps.viewer, input),
  hideComment: async (deps, input) => await setHidden(deps, deps.viewer, input),
  restoreComment: async (deps, input) => await setHidden(deps, deps.viewer, { ...input, reason: null }),
  dismissReports: async (deps, input) => {
    await dismissReports(deps, deps.viewer, input);
    return {};
  },
  setCommentsClosed: async (deps, { postId, isClosed }) => ({
    closedAt: moment(await setCommentsClosed(deps, deps.viewer, postId, isClosed)),
  }),
};

/** Limits everything that reaches others: comments, changes of them, and reports. */
function limitOf({ limits, clock, viewer }: Invocation & Limited) {
  return (trx: Kysely<Tables>) => limits.countComment({ db: trx, clock }, accountOf(viewer).id);
}
