import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Subscription } from '../../contract/accounts/account.ts';
import { AppError } from '../../contract/errors.ts';
import { operationQuery, useCall, useOperations } from '../app/queries.tsx';
import { routes } from '../app/routes.ts';
import { useSettings } from '../app/site.tsx';
import { BusyButton } from '../ui/busy-button.tsx';
import { useDialogs } from '../ui/dialogs.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { NeedsScripts } from '../ui/needs-scripts.tsx';
import { Notice } from '../ui/notice.tsx';
import { RhythmChoice, TagChoices } from './rhythm.tsx';

/** Subscribing to mails about new posts (specification sections 2 and 5). */
export function SubscriptionControl() {
  const subscription = useQuery(operationQuery(useCall(), 'getSubscription', {}));
  if (subscription.data !== undefined) return <Loaded {...subscription.data} />;
  return subscription.isError && !subscription.isFetching ? (
    <LoadFailed
      text="Failed to load your subscription"
      error={subscription.error}
      onRetry={subscription.refetch}
    />
  ) : (
    <p className="status" role="status">
      Loading...
    </p>
  );
}

function Loaded({ isSubscribed, email, waits, tags, ...wish }: Subscription) {
  const { call, client } = useOperations();
  const dialogs = useDialogs();
  const { sendsMail } = useSettings();
  const { queryKey } = operationQuery(call, 'getSubscription', {});
  const change = useMutation({
    mutationFn: (subscribed: boolean) => call('setSubscription', { subscribed }),
    onSuccess: answer => client.setQueryData(queryKey, answer),
    onError: async error => {
      if (!hasNoAddress(error)) return;
      // The account has lost its address since the page was loaded.
      await dialogs.alert('No email address associated with this account');
      await client.invalidateQueries({ queryKey });
    },
  });
  return (
    <>
      <p id="subscription-state" role="status">
        {email !== null &&
          (isSubscribed ? (
            // Each sentence is an element: translating a page replaces its text nodes.
            <span key="subscribed">
              New posts that you may read <span>{sendsMail ? 'are' : 'will be'}</span> sent to{' '}
              <strong>{email}</strong>
              <span>{sendsMail ? '.' : ' once this site sends mail.'}</span>
            </span>
          ) : (
            <span key="offered">
              Get new posts you can read by email at <strong>{email}</strong>.
            </span>
          ))}
      </p>
      {sendsMail && isSubscribed && email !== null && waits && (
        <p className="notice">
          Nothing is sent before you confirm this address.{' '}
          <Link to={routes.account.href()}>Get the link again</Link>
        </p>
      )}
      {!sendsMail && !isSubscribed && <p className="hint">This site does not send email yet.</p>}
      {email === null && (
        <p className="notice bad" id="subscription-warning">
          Email notifications require an email address associated with your account.
        </p>
      )}
      {change.isError && !hasNoAddress(change.error) && (
        <Notice text="Failed to update subscription. Please try again." />
      )}
      {isSubscribed && <RhythmChoice {...wish} />}
      <TagChoices tags={tags} isSubscribed={isSubscribed} />
      <BusyButton
        isBusy={change.isPending}
        className={isSubscribed ? 'button' : 'button primary'}
        disabled={email === null}
        aria-describedby={email === null ? 'subscription-warning' : 'subscription-state'}
        onClick={() => change.mutate(!isSubscribed)}
      >
        {buttonText(isSubscribed, change.isPending)}
      </BusyButton>
      <NeedsScripts />
    </>
  );
}

/** Whether the server has refused because the account has no address. */
function hasNoAddress(error: unknown): boolean {
  return error instanceof AppError && error.code === 'failed-precondition';
}

function buttonText(isSubscribed: boolean, isChanging: boolean): string {
  if (isSubscribed) return isChanging ? 'Unsubscribing...' : 'Unsubscribe';
  return isChanging ? 'Subscribing...' : 'Subscribe';
}
