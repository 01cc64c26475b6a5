import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { operationQuery, useOperations } from '../app/queries.tsx';
import { routes } from '../app/routes.ts';
import { endWorker, registerWorker, registrationOf, worksFor } from '../storage/workers.ts';
import { BusyButton } from '../ui/busy-button.tsx';
import { NeedsScripts } from '../ui/needs-scripts.tsx';
import { Notice } from '../ui/notice.tsx';
import { useIsInBrowser } from '../ui/use-is-in-browser.ts';

type NotificationsProps = {
  userId: string;
  /** Whether the session outlasts the browser: notifications end with the session. */
  isLong: boolean;
};

/** Turns on notifications of new posts and answers in this browser. Permission is asked for only then. */
export function Notifications({ userId, isLong }: NotificationsProps) {
  const { call, client } = useOperations();
  const { isOn: isWanted, publicKey } = useSuspenseQuery(operationQuery(call, 'getPush', {})).data;
  const isInBrowser = useIsInBrowser();
  const [takesThem, setTakesThem] = useState(true);
  useEffect(() => {
    isSubscribed(userId).then(setTakesThem, () => setTakesThem(false));
  }, [userId]);
  // The browser may have ended the subscription without the site.
  const isOn = isWanted && takesThem;
  const change = useMutation({
    mutationFn: async () => {
      if (!isOn) return await call('startPush', await subscribe(userId, publicKey));
      const state = await call('stopPush', {});
      await endWorker('push');
      return state;
    },
    onSuccess: state => {
      setTakesThem(state.isOn);
      client.setQueryData(operationQuery(call, 'getPush', {}).queryKey, state);
    },
  });
  if (isInBrowser && !isOn && !('PushManager' in window && 'Notification' in window))
    return (
      <p className="hint">
        This browser cannot show notifications. On an iPhone or iPad, add the site to the home screen first.
      </p>
    );
  if (!isLong && !isOn)
    return <p className="hint">To get notifications in this browser, log in with “Keep me logged in”.</p>;
  return (
    <>
      <p role="status">
        {isOn
          ? 'This browser tells you of new posts and of answers to your comments, until you log out.'
          : 'This browser can tell you of new posts and of answers to your comments until you log out, also while it is closed.'}{' '}
        A notification never says what is in them. Posts with a tag that you leave out{' '}
        <Link to={routes.profile.href('#subscription-state')}>under Your Activity</Link> are not among them.
      </p>
      {change.isError && <Notice text={change.error.message} />}
      <div className="acts">
        <BusyButton isBusy={change.isPending} onClick={() => change.mutate()}>
          {isOn ? 'Turn off notifications' : 'Turn on notifications'}
        </BusyButton>
      </div>
      <NeedsScripts />
    </>
  );
}

/** Whether the browser is subscribed for this account. */
async function isSubscribed(userId: string): Promise<boolean> {
  if (!('Notification' in window) || Notification.permission !== 'granted') return false;
  if (!(await worksFor('push', userId))) return false;
  const registration = await registrationOf('push');
  return (await registration?.pushManager.getSubscription()) != null;
}

const refusals: Record<Exclude<NotificationPermission, 'granted'>, string> = {
  default: 'Notifications stay off until you allow them in the browser.',
  denied: 'The browser does not allow notifications of this site. Change that in its settings.',
};

/** Subscribes the browser. Rejects with a sentence if it refuses. */
async function subscribe(userId: string, publicKey: string) {
  const permission = await Notification.requestPermission();
  if (permission !== 'granted') throw new Error(refusals[permission]);
  try {
    await registerWorker('push', userId);
    const registration = await registrationOf('push');
    if (registration === undefined) throw new Error('It has no service worker.');
    await untilActive(registration.installing ?? registration.waiting);
    // An earlier subscription was made with another key, or for somebody else.
    await (await registration.pushManager.getSubscription())?.unsubscribe();
    const wanted = { userVisibleOnly: true, applicationServerKey: publicKey };
    const { endpoint = '', keys } = (await registration.pushManager.subscribe(wanted)).toJSON();
    return { endpoint, keys: { p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' } };
  } catch (error) {
    throw new Error('This browser could not turn on notifications.', { cause: error });
  }
}

async function untilActive(worker: ServiceWorker | null): Promise<void> {
  if (worker === null || worker.state === 'activated') return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  worker.addEventListener('statechange', () => {
    if (worker.state === 'activated') resolve();
    // It could not be installed, or another one has replaced it.
    if (worker.state === 'redundant') reject(new Error('Its service worker has ended.'));
  });
  await promise;
}
