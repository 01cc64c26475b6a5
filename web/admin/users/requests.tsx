import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { Link } from 'wouter';
import type { AccessRequest } from '../../../contract/access-requests.ts';
import { DateTime } from '../../app/date.tsx';
import { operationQuery, useCall } from '../../app/queries.tsx';
import { routes } from '../../app/routes.ts';
import { amount } from '../../ui/amount.ts';
import { useDialogs } from '../../ui/dialogs.tsx';
import { RowAction } from '../../ui/row-action.tsx';
import { Section } from '../../ui/section.tsx';
import { isGone, leaveRow, useAdminOperations } from '../layout.tsx';
import { Oldest } from '../oldest.tsx';

/** The access requests; nothing if there are none. */
export function AccessRequests() {
  const { requests, total } = useSuspenseQuery(operationQuery(useCall(), 'listAccessRequests', {})).data;
  if (requests.length === 0) return null;
  return (
    <Section title="Requests to read posts" id="requests">
      <ul>
        {requests.map(request => (
          <Request key={`${request.postId} ${request.userId}`} request={request} />
        ))}
      </ul>
      <Oldest listed={requests.length} total={total} />
    </Section>
  );
}

function Request({ request }: { request: AccessRequest }) {
  const { postId, postTitle, isCut, userId, username, name, word, createdAt, needed, neededIds, opens } =
    request;
  const { call, client, report } = useAdminOperations();
  const { confirm } = useDialogs();
  const row = useRef<HTMLLIElement>(null);
  const tags = new Intl.ListFormat('en').format(needed.map(name => `“${name}”`));
  const others = opens > 1 ? `, which opens ${amount(opens - 1, 'more post', 'more posts')} to them` : '';
  const answer = useMutation({
    mutationFn: (isGranted: boolean) =>
      call('answerAccessRequest', { postId, userId, isGranted, tags: needed, tagIds: neededIds }),
    onSuccess: (_, isGranted) => {
      report.done(isGranted ? `${username} can read it now.` : 'Request removed.');
      leaveRow(row.current);
    },
    onError: error => {
      report.failed('Failed to answer the request.', error);
      if (isGone(error)) leaveRow(row.current);
    },
    onSettled: () =>
      Promise.all(
        ['listAccessRequests', 'getUsers'].map(name => client.invalidateQueries({ queryKey: [name] })),
      ),
  });
  const ask = async (isGranted: boolean) => {
    const question = isGranted
      ? `Let ${username} read all posts with ${tags}? ${amount(opens, 'more post becomes', 'more posts become')} visible.`
      : `Remove the request of ${username}? They are not told.`;
    if (await confirm(question, { action: isGranted ? 'Let in' : 'Remove' })) answer.mutate(isGranted);
  };
  return (
    <li ref={row} className="entry">
      <p>
        <strong>{username}</strong> (<bdi>{name}</bdi>) asks for{' '}
        <Link to={routes.post.href({ postId })}>
          “<bdi className={isCut ? 'cut' : undefined}>{postTitle}</bdi>”
        </Link>
      </p>
      <p>
        <DateTime moment={createdAt} />
      </p>
      {word !== '' && (
        <p className="words" dir="auto">
          {word}
        </p>
      )}
      <p className="hint">
        They need {tags}
        {others}.
      </p>
      <div className="acts">
        <RowAction verb="Let in" name={username} isBusy={answer.isPending} onClick={() => void ask(true)} />
        <RowAction verb="Not now" name={username} isBusy={answer.isPending} onClick={() => void ask(false)} />
      </div>
    </li>
  );
}
