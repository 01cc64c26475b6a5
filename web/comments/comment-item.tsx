import { useMutation } from '@tanstack/react-query';
import { memo, useRef, useState } from 'react';
import { AppError } from '../../contract/errors.ts';
import { Ago } from '../app/date.tsx';
import { useCall } from '../app/queries.tsx';
import { useDialogs } from '../ui/dialogs.tsx';
import { Face } from '../ui/face.tsx';
import { hasMovedOn } from '../ui/has-moved-on.ts';
import { type Act, ActForm, type Changes, CommentActs } from './comment-acts.tsx';
import { LinkedText } from './linked-text.tsx';
import type { Comment } from './threads.ts';

const roles = { author: 'Author', admin: 'Admin' } as const;

type CommentItemProps = {
  comment: Comment;
  userId: string;
  postId: string;
  /** Why the reader may write no comment; empty if they may. */
  closedText: string;
  /** Whether the buttons to answer and edit are shown. */
  isOpen: boolean;
  changes: Changes;
};

/** Whether a comment only keeps the place of one that was deleted or hidden. */
export const isPlaceholder = ({ state, content }: Comment) => state !== 'shown' && content === '';

/**
 * A comment with its reader's actions. Memoised, so that of a thousand only changed ones are rendered again.
 */
export const CommentItem = memo(function CommentItem(props: CommentItemProps) {
  const { comment } = props;
  const className = comment.parentId === null ? 'comment' : 'comment answer';
  if (!isPlaceholder(comment)) return <WrittenComment {...props} className={className} />;
  return (
    <article className={className} id={`comment-${comment.id}`} tabIndex={-1}>
      <p className="status">
        {comment.state === 'deleted' ? 'This comment was deleted.' : 'This comment was hidden by an admin.'}
      </p>
    </article>
  );
});

function WrittenComment({ comment, className, changes, ...where }: CommentItemProps & { className: string }) {
  const [act, setAct] = useState<Act | null>(null);
  const article = useRef<HTMLElement>(null);
  const role = comment.authorRole === null ? undefined : roles[comment.authorRole];
  const author = role === undefined ? comment.authorUsername : `${comment.authorUsername} (${role})`;
  const close = () => {
    setAct(null);
    // The form is removed with the focus.
    if (!hasMovedOn(article.current)) article.current?.focus({ preventScroll: true });
  };
  return (
    // The focus moves here when more comments have been loaded.
    <article
      className={className}
      ref={article}
      id={`comment-${comment.id}`}
      tabIndex={-1}
      aria-label={`Comment by ${author}`}
    >
      <header>
        <Face name={comment.authorName} face={comment.authorFace} />
        <strong>{comment.authorName}</strong>
        {comment.authorName !== comment.authorUsername && <span>{comment.authorUsername}</span>}
        {role !== undefined && <span className="role">{role}</span>}
        <Ago moment={comment.createdAt} />
        {comment.editedAt !== null && <span>edited</span>}
      </header>
      {comment.state === 'hidden' && <HiddenNote reason={comment.hiddenReason} />}
      {act !== 'edit' && (
        <p className="words" dir="auto">
          <LinkedText text={comment.content} />
        </p>
      )}
      {act === null ? (
        <CommentActs
          comment={comment}
          author={author}
          isOpen={where.isOpen}
          onAct={setAct}
          onRestored={close}
          changes={changes}
        >
          {comment.can.delete && (
            <DeleteButton comment={comment} author={author} onDeleted={changes.deleted} />
          )}
        </CommentActs>
      ) : (
        <ActForm act={act} comment={comment} author={author} {...where} changes={changes} onDone={close} />
      )}
    </article>
  );
}

function HiddenNote({ reason }: { reason: string | null }) {
  return (
    <p className="notice">
      An admin has hidden this comment from other readers: <span dir="auto">{reason}</span>
    </p>
  );
}

type DeleteButtonProps = { comment: Comment; author: string; onDeleted: Changes['deleted'] };

function DeleteButton({ comment, author, onDeleted }: DeleteButtonProps) {
  const call = useCall();
  const dialogs = useDialogs();
  const remove = useMutation({
    mutationFn: () => call('deleteComment', { commentId: comment.id }),
    onSuccess: left => onDeleted(comment.id, left),
    onError: async error => {
      // Somebody else has deleted it meanwhile, which is what the reader wanted.
      if (error instanceof AppError && error.code === 'not-found') onDeleted(comment.id);
      else await dialogs.alert('Failed to delete comment. Please try again.');
    },
  });
  const confirmed = async () => {
    const text = 'Are you sure you want to delete this comment?';
    if (await dialogs.confirm(text, { action: 'Delete', isDangerous: true })) remove.mutate();
  };
  return (
    <button
      type="button"
      className="quiet danger"
      aria-disabled={remove.isPending || undefined}
      aria-label={`Delete comment by ${author}`}
      onClick={() => remove.isPending || confirmed()}
    >
      Delete
    </button>
  );
}
