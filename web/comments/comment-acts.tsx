import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { commentMaxCharacters, reportMaxCharacters } from '../../contract/constants.ts';
import { AppError } from '../../contract/errors.ts';
import type { Input } from '../../contract/operations.ts';
import { useCall } from '../app/queries.tsx';
import { useViewer } from '../app/site.tsx';
import { useToast } from '../app/toasts.tsx';
import { useDialogs } from '../ui/dialogs.tsx';
import { RowAction } from '../ui/row-action.tsx';
import { CommentForm } from './comment-form.tsx';
import { editKey, emptyDraft, readDraft, reportKey, writeDraft } from './draft.ts';
import { MessageForm } from './message-form.tsx';
import type { Comment } from './threads.ts';

/** How a comment reports its changes to the list, which reads them out. */
export type Changes = {
  /** `commentCount` is the number of comments left, if the server returned it. */
  deleted(id: string, left?: { comment?: Comment | undefined; commentCount: number }): void;
  changed(answer: { comment: Comment; commentCount: number }, said: string): void;
};

export type Act = 'answer' | 'edit' | 'report' | 'hide';

type CommentActsProps = {
  comment: Comment;
  author: string;
  isOpen: boolean;
  onAct(act: Act): void;
  /** Called before the button that was pressed is removed, so that the focus is not lost. */
  onRestored(): void;
  changes: Changes;
  /** After the others. */
  children: ReactNode;
};

/** What has been reported from this page. Another report of somebody replaces the words of theirs. */
const reported = new Set<string>();

/** The buttons below a comment. */
export function CommentActs({
  comment,
  author,
  isOpen,
  onAct,
  onRestored,
  changes,
  children,
}: CommentActsProps) {
  const call = useCall();
  const dialogs = useDialogs();
  const { user } = useViewer();
  const { can, state, id } = comment;
  // An answer that was begun outlives its form, the page and the session.
  const hasAnswer = user !== null && readDraft(user.id, id).text !== '';
  const answer = hasAnswer ? 'Go on with your answer' : 'Answer';
  const restore = useMutation({
    mutationFn: () => call('restoreComment', { commentId: id }),
    onSuccess: answer => {
      onRestored();
      changes.changed(answer, 'The comment is shown again.');
    },
    onError: () => dialogs.alert('Failed to show the comment again. Please try again.'),
  });
  const name = `comment by ${author}`;
  return (
    <div className="acts">
      {isOpen && state === 'shown' && (
        <RowAction
          verb={answer}
          name={name}
          label={hasAnswer ? `${answer} to the ${name}` : `${answer} ${name}`}
          onClick={() => onAct('answer')}
        />
      )}
      {isOpen && can.edit && <RowAction verb="Edit" name={name} onClick={() => onAct('edit')} />}
      {can.report && (
        <RowAction
          verb={reported.has(id) ? 'Reported' : 'Report'}
          name={name}
          onClick={() => onAct('report')}
        />
      )}
      {can.moderate && state === 'shown' && (
        <RowAction verb="Hide" name={name} onClick={() => onAct('hide')} />
      )}
      {can.moderate && state === 'hidden' && (
        <RowAction
          verb="Show again"
          name={name}
          label={`Show again: ${name}`}
          isBusy={restore.isPending}
          onClick={() => restore.mutate()}
        />
      )}
      {children}
    </div>
  );
}

type ActFormProps = {
  act: Act;
  comment: Comment;
  author: string;
  userId: string;
  postId: string;
  closedText: string;
  changes: Changes;
  onDone(): void;
};

/** The form of the action that the reader has begun on a comment. */
export function ActForm({ act, comment, author, userId, postId, closedText, changes, onDone }: ActFormProps) {
  const commentId = comment.id;
  if (act === 'answer') {
    return (
      <CommentForm
        userId={userId}
        postId={postId}
        closedText={closedText}
        answers={{ id: commentId, author, onCancel: onDone }}
        onAdded={answer => {
          onDone();
          changes.changed(answer, 'Your answer has been added.');
        }}
      />
    );
  }
  if (act === 'edit') return <EditForm comment={comment} userId={userId} onDone={onDone} changes={changes} />;
  if (act === 'report') return <ReportForm commentId={commentId} userId={userId} onDone={onDone} />;
  return <HideForm decided={{ commentId }} onDone={onDone} onHidden={changes.changed} />;
}

type ReportFormProps = { commentId: string; userId: string; onDone(): void };

/** A report of a comment, stored in this browser until it is sent or cancelled. */
function ReportForm({ commentId, userId, onDone }: ReportFormProps) {
  const call = useCall();
  const toast = useToast();
  const draftKey = reportKey(commentId);
  const [kept] = useState(() => readDraft(userId, draftKey).text);
  const keep = (text: string) => writeDraft(userId, draftKey, { ...emptyDraft(), text });
  return (
    <MessageForm
      label="What is wrong with this comment? (optional)"
      hint="The admins read this, and nobody else."
      text={kept}
      mostCharacters={reportMaxCharacters}
      verb="Report"
      busyVerb="Reporting..."
      onType={keep}
      onSend={async word => {
        await call('reportComment', { commentId, word });
        keep('');
        reported.add(commentId);
        onDone();
        toast({ text: 'Thank you. The admins will look at this comment.' });
      }}
      onCancel={() => {
        keep('');
        onDone();
      }}
      onEscape={onDone}
    />
  );
}

type EditFormProps = Pick<ActFormProps, 'comment' | 'userId' | 'changes' | 'onDone'>;

/**
 * An edit of the reader's own comment, stored in this browser until it is saved or cancelled, like a draft.
 */
function EditForm({ comment, userId, changes, onDone }: EditFormProps) {
  const call = useCall();
  const draftKey = editKey(comment.id);
  const [{ text: kept, before = comment.content }] = useState(() => readDraft(userId, draftKey));
  /** The comment as it was when the edit began; undefined once its reader wants to replace any. */
  const begun = useRef<string | undefined>(before);
  const keep = (text: string) =>
    writeDraft(userId, draftKey, {
      ...emptyDraft(),
      text: text === comment.content ? '' : text,
      ...(begun.current !== undefined && { before: begun.current }),
    });
  return (
    <MessageForm
      label="Edit your comment"
      {...(kept !== '' && { hint: 'Unsaved text from before. Cancel discards it.' })}
      text={kept || comment.content}
      mostCharacters={commentMaxCharacters}
      missing="Write a comment first."
      verb="Save"
      busyVerb="Saving..."
      onType={keep}
      onSend={async content => {
        const input = { commentId: comment.id, content };
        const seen = begun.current !== undefined && { before: begun.current };
        const answer = await call('editComment', { ...input, ...seen }).catch(error => {
          if (!(error instanceof AppError) || error.code !== 'aborted') throw error;
          begun.current = undefined;
          throw new Error(`${error.message} Cancel to read it, or save again to replace it.`);
        });
        keep('');
        onDone();
        changes.changed(answer, 'Your comment has been changed.');
      }}
      onCancel={() => {
        keep('');
        onDone();
      }}
      onEscape={onDone}
    />
  );
}

type HideFormProps = {
  decided: Omit<Input<'hideComment'>, 'reason'>;
  onDone(): void;
  onHidden: Changes['changed'];
};

/** Asks an admin for the reason before a comment is hidden. */
export function HideForm({ decided, onDone, onHidden }: HideFormProps) {
  const call = useCall();
  return (
    <MessageForm
      label="Why do you hide this comment?"
      hint="Its author reads this, and still sees the comment."
      mostCharacters={reportMaxCharacters}
      missing="Write a reason first."
      verb="Hide"
      busyVerb="Hiding..."
      onSend={async reason => {
        const answer = await call('hideComment', { ...decided, reason });
        onDone();
        onHidden(answer, 'The comment is hidden.');
      }}
      onCancel={onDone}
    />
  );
}
