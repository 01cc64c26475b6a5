import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Link } from 'wouter';
import type { Call, Output } from '../../../contract/operations.ts';
import { DateTime } from '../../app/date.tsx';
import { useCall } from '../../app/queries.tsx';
import { routes } from '../../app/routes.ts';
import { HideForm } from '../../comments/comment-acts.tsx';
import { LinkedText } from '../../comments/linked-text.tsx';
import { RowAction } from '../../ui/row-action.tsx';
import { useFocusReturn } from '../../ui/use-focus-return.ts';
import { leaveRow, useReport } from '../layout.tsx';

type ReportedComment = Output<'listReportedComments'>['comments'][number];

/** A comment with its reports, and the admin's possible decisions. */
export function Reported({ reported, onDecided }: { reported: ReportedComment; onDecided(): void }) {
  const { comment, postId, postTitle, isCut, reports } = reported;
  const [isHiding, setHiding] = useState(false);
  const article = useRef<HTMLElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  useFocusReturn(opener, isHiding);
  const report = useReport();
  const call = useCall();
  const decide = useMutation({
    mutationFn: ({ send }: { send: (call: Call) => Promise<unknown>; done: string }) => send(call),
    onSuccess: (_, { done }) => decided(done),
    onError: error => report.failed('Failed to save the decision.', error),
  });
  const decided = (said: string) => {
    leaveRow(article.current);
    report.done(said);
    onDecided();
  };
  const name = `comment by ${comment.authorUsername}`;
  // Reports that came in while the page was open stay for another decision.
  const input = { commentId: comment.id, seenUntil: reports.at(-1)?.createdAt };
  return (
    <article ref={article} className="comment" aria-label={`Comment by ${comment.authorUsername}`}>
      <header>
        <strong>{comment.authorUsername}</strong>
        <DateTime moment={comment.createdAt} withTime />
        <Link to={routes.post.href({ postId }, '#comments')} dir="auto" className={isCut ? 'cut' : undefined}>
          {postTitle}
        </Link>
      </header>
      <p className="words" dir="auto">
        <LinkedText text={comment.content} />
      </p>
      {comment.hiddenReason !== null && (
        <p className="hint">
          Hidden: <span dir="auto">{comment.hiddenReason}</span>
        </p>
      )}
      {reports.length > 0 && (
        <ul className="lines">
          {reports.map(({ username, word, createdAt }) => (
            <li key={username}>
              Reported by <strong>{username}</strong> on <DateTime moment={createdAt} />
              {word !== '' && ': '}
              {word !== '' && <span dir="auto">“{word}”</span>}
            </li>
          ))}
        </ul>
      )}
      {isHiding ? (
        <HideForm decided={input} onDone={() => setHiding(false)} onHidden={(_, said) => decided(said)} />
      ) : (
        <div className="acts">
          {comment.state === 'shown' && (
            <RowAction ref={opener} verb="Hide" name={name} onClick={() => setHiding(true)} />
          )}
          {comment.state === 'hidden' && (
            <RowAction
              verb="Show again"
              name={name}
              label={`Show again: ${name}`}
              onClick={() =>
                decide.mutate({
                  send: send => send('restoreComment', input),
                  done: 'The comment is shown again.',
                })
              }
            />
          )}
          {reports.length > 0 && (
            <RowAction
              verb="Leave it"
              name={name}
              onClick={() =>
                decide.mutate({
                  send: send => send('dismissReports', input),
                  done: 'The comment stays. Its reports are closed.',
                })
              }
            />
          )}
        </div>
      )}
    </article>
  );
}
