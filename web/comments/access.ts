import { loginHref, routes } from '../app/routes.ts';

/** The sentences of specification section 8 about who may comment. */
export const loginText = 'Please log in to leave a comment.';
export const unapprovedCommentText =
  'You cannot view or leave comments until your account is approved by an admin.';

/** The login page, which leads back to the comments of the post. */
export function commentLoginPath(postId: string): string {
  return loginHref(routes.post.href({ postId }, '#comments'));
}
