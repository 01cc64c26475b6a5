import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Output } from '../../contract/operations.ts';
import { operationQuery, useCall, useOperations } from '../app/queries.tsx';
import { routes } from '../app/routes.ts';
import { useSettings, useViewer } from '../app/site.tsx';
import { useToast } from '../app/toasts.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { NeedsScripts } from '../ui/needs-scripts.tsx';
import { Notice } from '../ui/notice.tsx';
import { wishTexts } from './wish-texts.ts';

/** How many choices are shown at first. */
const shown = 3;

/** The choices of mails other than those about new posts, which the profile offers. */
export function MailWishes() {
  const { user } = useViewer();
  const { sendsMail } = useSettings();
  // Admins get mails about comments even without a confirmed address.
  const waits = sendsMail && user !== null && !user.isEmailConfirmed && !user.isAdmin;
  const query = useQuery(operationQuery(useCall(), 'getMailWishes', {}));
  if (query.data === undefined) {
    return query.isError ? (
      <LoadFailed text="Failed to load your choices." error={query.error} onRetry={query.refetch} />
    ) : (
      <p className="status">Loading...</p>
    );
  }
  const { wishes } = query.data;
  const first = wishes.slice(0, shown);
  const more = wishes.slice(shown);
  return (
    <>
      <p>
        New posts by email:{' '}
        <Link to={routes.profile.href('#subscription-state')}>choose under Your Activity</Link>.
      </p>
      {first.length > 0 && (
        <>
          {waits && <p className="hint">You get these emails once your address is confirmed.</p>}
          <Choices wishes={first} />
        </>
      )}
      {more.length > 0 && (
        <details>
          <summary>More</summary>
          <Choices wishes={more} />
        </details>
      )}
      <NeedsScripts />
    </>
  );
}

type Wish = Output<'getMailWishes'>['wishes'][number];

function Choices({ wishes }: { wishes: readonly Wish[] }) {
  return (
    <fieldset className="field">
      <legend>Email me about</legend>
      {wishes.map(wish => (
        <Choice key={wish.kind} {...wish} />
      ))}
    </fieldset>
  );
}

function Choice({ kind, isOn }: Wish) {
  const { call, client } = useOperations();
  const toast = useToast();
  const change = useMutation({
    // One after the other: each answer has all choices.
    scope: { id: 'mail-wishes' },
    mutationFn: (isWanted: boolean) => call('setMailWish', { kind, isOn: isWanted }),
    onSuccess: answer => {
      client.setQueryData(operationQuery(call, 'getMailWishes', {}).queryKey, answer);
      toast({ text: 'Saved.' });
    },
  });
  const text = wishTexts[kind];
  return (
    <>
      <label className="choice">
        <input
          type="checkbox"
          checked={change.isPending ? change.variables : isOn}
          onChange={event => change.mutate(event.target.checked)}
        />
        {text.charAt(0).toUpperCase() + text.slice(1)}
      </label>
      {change.isError && <Notice text={`Failed to save your choice. ${change.error.message}`} />}
    </>
  );
}
