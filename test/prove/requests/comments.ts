import { type CommentDeed, commentAt, reasonAt, reportAt } from '../model/comment-acts.ts';
import { callBy, type Requests, type Sending } from './request.ts';

const idOf = ({ world }: Sending, comment: string) => ({ commentId: world.comments[comment]?.id });

/** The requests of comments, and of decisions about them. */
export const commentRequests: Requests<CommentDeed> = {
  comment: (sending, { at, post, answers }) =>
    callBy(sending, 'addComment', {
      postId: sending.world.posts[post]?.id,
      content: `A comment: ${commentAt(at)}.`,
      ...(answers !== undefined && { parentId: sending.world.comments[answers]?.id ?? 'nothing' }),
    }),
  editComment: (sending, { at, comment }) =>
    callBy(sending, 'editComment', { ...idOf(sending, comment), content: `A comment: ${commentAt(at)}.` }),
  reportComment: (sending, { at, comment }) =>
    callBy(sending, 'reportComment', { ...idOf(sending, comment), word: reportAt(at) }),
  hideComment: (sending, { at, comment }) =>
    callBy(sending, 'hideComment', { ...idOf(sending, comment), reason: reasonAt(at) }),
  closeComments: (sending, { post, isClosed }) =>
    callBy(sending, 'setCommentsClosed', { postId: sending.world.posts[post]?.id, isClosed }),
  mute: (sending, { who, isMuted }) =>
    callBy(sending, 'setMuted', { userId: sending.world.accounts[who]?.id, isMuted }),
};
