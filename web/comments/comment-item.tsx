import { useMutation } from '@tanstack/react-query';
import { memo } from 'react';
import { AppError } from '../../contract/errors.ts';
import { DateTime } from '../app/date.tsx';
import { useCall } from '../app/operations.tsx';
import { useDialogs } from '../ui/dialogs.tsx';
import { LinkedText } from './linked-text.tsx';
import type { Comment } from './query.ts';

const roles = { author: 'Author', admin: 'Admin' } as const;

/**
 * A comment, with a button to delete it for those who may. Memoised, so that of a thousand only changed ones
 * are rendered again.
 */
export const CommentItem = memo(function CommentItem({
  comment,
  onDeleted,
}: {
  comment: Comment;
  /** `commentCount` is the number of comments left, if the server returned it. */
  onDeleted(id: string, commentCount?: number): void;
}) {
  const role = comment.authorRole === null ? undefined : roles[comment.authorRole];
  const author = role === undefined ? comment.authorUsername : `${comment.authorUsername} (${role})`;
  const call = useCall();
  const dialogs = useDialogs();
  const remove = useMutation({
    mutationFn: () => call('deleteComment', { commentId: comment.id }),
    onSuccess: ({ commentCount }) => onDeleted(comment.id, commentCount),
    onError: async error => {
      // Somebody else has deleted it meanwhile, so it is deleted as wanted.
      if (error instanceof AppError && error.code === 'not-found') onDeleted(comment.id);
      else await dialogs.alert('Failed to delete comment. Please try again.');
    },
  });
  const confirmed = async () => {
    const text = 'Are you sure you want to delete this comment?';
    if (await dialogs.confirm(text, { action: 'Delete', isDangerous: true })) remove.mutate();
  };
  return (
    // The focus moves here when more comments have been loaded.
    <article
      className="comment"
      id={`comment-${comment.id}`}
      tabIndex={-1}
      aria-label={`Comment by ${author}`}
    >
      <header>
        <strong>{comment.authorUsername}</strong>
        {role !== undefined && <span className="role">{role}</span>}
        <DateTime moment={comment.createdAt} />
        {comment.can.delete && (
          <button
            type="button"
            className="quiet danger"
            aria-disabled={remove.isPending || undefined}
            aria-label={`Delete comment by ${author}`}
            onClick={() => remove.isPending || confirmed()}
          >
            Delete
          </button>
        )}
      </header>
      <p className="words" dir="auto">
        <LinkedText text={comment.content} />
      </p>
    </article>
  );
});
