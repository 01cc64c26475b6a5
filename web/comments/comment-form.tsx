import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { commentMaxCharacters } from '../../contract/constants.ts';
import type { Output } from '../../contract/operations.ts';
import { useOperations } from '../app/queries.tsx';
import { useConnection } from '../app/use-connection.ts';
import { askViewer, isRefusal } from '../app/viewer.ts';
import { Announced } from '../ui/announced.tsx';
import { useDialogs } from '../ui/dialogs.tsx';
import { hasMovedOn } from '../ui/has-moved-on.ts';
import { createKey } from '../ui/key.ts';
import { Notice } from '../ui/notice.tsx';
import { SubmitButton } from '../ui/submit-button.tsx';
import { loginText, unapprovedCommentText } from './access.ts';
import { type Draft, readDraft, writeDraft } from './draft.ts';
import { MessageBox } from './message-box.tsx';
import { useMessage } from './use-message.ts';

type CommentFormProps = {
  /** The author of the text: the form is mounted again for another reader. */
  userId: string;
  postId: string;
  /** The answered comment, whose form can be closed; left out for a comment on the post itself. */
  answers?: { id: string; author: string; onCancel(): void };
  /** Why nothing can be sent, as when comments were closed: a text that was begun stays, to be copied. */
  closedText: string;
  /** Whether it takes the focus of a form that was removed. */
  takesFocus?: boolean;
  onAdded(answer: Output<'addComment'>): void;
};

/** A comment being written, stored with each change, and sending it. */
function useDraft({ userId, postId, answers, onAdded }: Omit<CommentFormProps, 'closedText'>) {
  const { call, client } = useOperations();
  const dialogs = useDialogs();
  const parentId = answers?.id;
  // The draft of an answer belongs to the comment that it answers.
  const draftKey = parentId ?? postId;
  const [draft, setDraft] = useState(() => readDraft(userId, draftKey));
  const [problem, setProblem] = useState('');
  const change = (next: Draft) => {
    setDraft(next);
    writeDraft(userId, draftKey, next);
  };
  const add = useMutation({
    mutationFn: ({ text, key }: Draft) =>
      call('addComment', { postId, content: text, key, ...(parentId !== undefined && { parentId }) }),
    onSuccess: (answer, sent) => {
      // Text typed while the comment was being sent begins the next one.
      const { text } = readDraft(userId, draftKey);
      if (text === sent.text || text === '') change({ text: '', key: createKey(), isSent: false });
      onAdded(answer);
    },
    onError: async error => {
      if (isRefusal(error)) {
        const viewer = await askViewer(client, call).catch(() => undefined);
        if (viewer?.user === null) return await dialogs.alert(loginText);
        if (viewer?.can.comment === false) return await dialogs.alert(unapprovedCommentText);
      }
      setProblem(`Failed to post your comment. ${error.message} Your text is kept.`);
    },
  });
  const send = (written: Draft) => {
    setProblem('');
    const sent = { ...written, isSent: true, waits: false };
    change(sent);
    add.mutate(sent);
  };
  const sendWaiting = async (signal: AbortSignal) => {
    // Another tab may have signed somebody else in meanwhile.
    const viewer = await askViewer(client, call).catch(() => undefined);
    if (signal.aborted) return;
    const written = readDraft(userId, draftKey);
    // Another tab has sent it.
    if (!written.waits) setDraft(written);
    else if (viewer?.user?.id === userId) send(written);
  };
  useConnection(signal => void sendWaiting(signal), draft.waits === true);
  /** Without a connection it waits in this browser, and may still be changed. */
  const wait = (waits: boolean) => change({ ...draft, waits });
  return { draft, change, send, wait, isSending: add.isPending, problem };
}

/**
 * The box for writing a comment or an answer. Its text survives a reload, a lost session and a lost
 * connection.
 */
export function CommentForm({
  onAdded,
  answers,
  closedText,
  takesFocus = false,
  ...where
}: CommentFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const { draft, change, send, wait, isSending, problem } = useDraft({
    ...where,
    ...(answers !== undefined && { answers }),
    onAdded: answer => {
      onAdded(answer);
      // The form of an answer is removed, and has moved the focus to its comment.
      if (answers === undefined && !hasMovedOn(form.current)) box.current?.focus();
    },
  });
  const { box, check, ...words } = useMessage(draft.text, commentMaxCharacters, 'Write a comment first.');
  const isAnswer = answers !== undefined;
  const isClosed = closedText !== '';
  useEffect(() => {
    // The form of an answer appears where its button was.
    if (isAnswer || (takesFocus && !hasMovedOn(form.current))) box.current?.focus();
  }, [isAnswer, takesFocus, box]);
  const submit = () => {
    if (isSending || isClosed || !check()) return;
    if (navigator.onLine) send(draft);
    else wait(true);
  };
  if (isClosed && !isAnswer && draft.text === '') return null;
  return (
    <form
      ref={form}
      className="form"
      noValidate
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        submit();
      }}
    >
      <MessageBox
        ref={box}
        label={answers === undefined ? 'Write a comment' : `Answer ${answers.author}`}
        text={draft.text}
        {...words}
        isRequired
        isReadOnly={isClosed}
        onChange={text => {
          // A changed text is another comment, so it needs another key.
          const waits = draft.waits === true && text !== '';
          change({ text, key: draft.isSent ? createKey() : draft.key, isSent: false, waits });
        }}
        onSend={submit}
      />
      {problem !== '' && <Notice text={problem} />}
      <Announced className="hint">
        {draft.waits === true && (
          <>
            You are offline. Your comment will be sent once you are online: keep the comments open until then.{' '}
            <button type="button" className="quiet" onClick={() => wait(false)}>
              Do not send it
            </button>
          </>
        )}
      </Announced>
      {/* Above the box for a comment the page says it already. */}
      {isAnswer && isClosed && <p className="hint">{closedText} Your text is kept here, to be copied.</p>}
      <div className="acts">
        {!isClosed && (
          <SubmitButton isBusy={isSending}>
            {isSending ? 'Posting...' : answers === undefined ? 'Post comment' : 'Post answer'}
          </SubmitButton>
        )}
        {answers !== undefined && (
          <button
            type="button"
            className="quiet"
            onClick={() => {
              if (draft.waits) wait(false);
              answers.onCancel();
            }}
          >
            Cancel
          </button>
        )}
      </div>
    </form>
  );
}
