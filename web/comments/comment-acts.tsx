import { commentMaxCharacters, reportMaxCharacters } from '../../contract/constants.ts';
import { useCall } from '../app/operations.tsx';
import { RowAction } from '../ui/row-action.tsx';
import { CommentForm } from './comment-form.tsx';
import type { Comment } from './threads.ts';
import { WordForm } from './word-form.tsx';

/** How a comment says to its list that it has changed, and reads it out. */
export type Changes = {
  /** `commentCount` is the number of comments left, if the server returned it. */
  deleted(id: string, left?: { comment?: Comment | undefined; commentCount: number }): void;
  changed(answer: { comment: Comment; commentCount: number }, said: string): void;
  said(text: string): void;
};

/** What a reader does with a comment by a form. */
export type Act = 'answer' | 'edit' | 'report' | 'hide';

type CommentActsProps = {
  comment: Comment;
  author: string;
  isOpen: boolean;
  onAct(act: Act): void;
  changes: Changes;
};

/** The buttons below a comment. */
export function CommentActs({ comment, author, isOpen, onAct, changes }: CommentActsProps) {
  const call = useCall();
  const { can, state, id } = comment;
  const restore = async () => {
    try {
      changes.changed(await call('restoreComment', { commentId: id }), 'The comment is shown again.');
    } catch {
      changes.said('Failed to show the comment again. Please try again.');
    }
  };
  const name = `comment by ${author}`;
  return (
    <div className="acts">
      {isOpen && state === 'shown' && <RowAction verb="Answer" name={name} onClick={() => onAct('answer')} />}
      {isOpen && can.edit && <RowAction verb="Edit" name={name} onClick={() => onAct('edit')} />}
      {can.report && <RowAction verb="Report" name={name} onClick={() => onAct('report')} />}
      {can.moderate && state === 'shown' && (
        <RowAction verb="Hide" name={name} onClick={() => onAct('hide')} />
      )}
      {can.moderate && state === 'hidden' && <RowAction verb="Show again" name={name} onClick={restore} />}
    </div>
  );
}

type ActFormProps = {
  act: Act;
  comment: Comment;
  author: string;
  userId: string;
  postId: string;
  changes: Changes;
  onDone(): void;
};

/** The form of what the reader has begun to do with a comment. */
export function ActForm({ act, comment, author, userId, postId, changes, onDone }: ActFormProps) {
  const call = useCall();
  const commentId = comment.id;
  if (act === 'answer') {
    return (
      <CommentForm
        userId={userId}
        postId={postId}
        answers={{ id: commentId, author, onCancel: onDone }}
        onAdded={answer => {
          onDone();
          changes.changed(answer, 'Your answer has been added.');
        }}
      />
    );
  }
  if (act === 'edit') {
    return (
      <WordForm
        label="Edit your comment"
        text={comment.content}
        mostCharacters={commentMaxCharacters}
        verb="Save"
        busyVerb="Saving..."
        onSend={async content => {
          const answer = await call('editComment', { commentId, content });
          onDone();
          changes.changed(answer, 'Your comment has been changed.');
        }}
        onCancel={onDone}
      />
    );
  }
  if (act === 'report') {
    return (
      <WordForm
        label="What is wrong with this comment? (optional)"
        hint="The admins read this, and nobody else."
        isOptional
        mostCharacters={reportMaxCharacters}
        verb="Report"
        busyVerb="Reporting..."
        onSend={async word => {
          await call('reportComment', { commentId, word });
          onDone();
          changes.said('Thank you. The admins will look at this comment.');
        }}
        onCancel={onDone}
      />
    );
  }
  return <HideForm commentId={commentId} onDone={onDone} onHidden={changes.changed} />;
}

type HideFormProps = { commentId: string; onDone(): void; onHidden: Changes['changed'] };

/** Asks an admin why a comment is to be hidden. */
export function HideForm({ commentId, onDone, onHidden }: HideFormProps) {
  const call = useCall();
  return (
    <WordForm
      label="Why do you hide this comment?"
      hint="Its author reads this, and still sees the comment."
      mostCharacters={reportMaxCharacters}
      verb="Hide"
      busyVerb="Hiding..."
      onSend={async reason => {
        const answer = await call('hideComment', { commentId, reason });
        onDone();
        onHidden(answer, 'The comment is hidden.');
      }}
      onCancel={onDone}
    />
  );
}
