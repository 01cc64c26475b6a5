import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Output } from '../../contract/operations.ts';
import type { WishKind } from '../../contract/wishes.ts';
import { operationQuery, useCall } from '../app/operations.tsx';
import { routes } from '../app/routes.ts';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Notice } from '../ui/notice.tsx';

const texts: Record<WishKind, string> = {
  answers: 'Answers to my comments',
  'own-posts': 'Comments on my posts',
  followed: 'New comments on posts that I commented on',
  waiting: 'People who wait for approval',
  reported: 'Reported comments',
};

/** How many choices are shown at first. */
const shown = 3;

/** What the reader hears of by mail, beside new posts, which the profile offers. */
export function MailWishes() {
  const query = useQuery(operationQuery(useCall(), 'getMailWishes', {}));
  if (query.data === undefined) {
    return query.isError ? (
      <LoadFailed text="Failed to load your choices." error={query.error} onRetry={query.refetch} />
    ) : (
      <p className="status">Loading...</p>
    );
  }
  const { wishes } = query.data;
  const [first, more] = [wishes.slice(0, shown), wishes.slice(shown)];
  return (
    <>
      <p>
        New posts by email:{' '}
        <Link to={routes.profile.href('#subscription-state')}>choose on your profile</Link>.
      </p>
      {first.length > 0 && <Choices wishes={first} />}
      {more.length > 0 && (
        <details>
          <summary>More</summary>
          <Choices wishes={more} />
        </details>
      )}
    </>
  );
}

type Wish = Output<'getMailWishes'>['wishes'][number];

function Choices({ wishes }: { wishes: readonly Wish[] }) {
  const call = useCall();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (wish: Wish) => call('setMailWish', wish),
    onSuccess: answer => client.setQueryData(['getMailWishes', {}], answer),
  });
  const wanted = change.isPending ? change.variables : undefined;
  return (
    <fieldset className="field">
      <legend>Email me about</legend>
      {wishes.map(({ kind, isOn }) => (
        <label key={kind} className="choice">
          <input
            type="checkbox"
            checked={wanted?.kind === kind ? wanted.isOn : isOn}
            onChange={event => change.mutate({ kind, isOn: event.target.checked })}
          />
          {texts[kind]}
        </label>
      ))}
      {change.isError && <Notice text={`Failed to save your choice. ${change.error.message}`} />}
    </fieldset>
  );
}
