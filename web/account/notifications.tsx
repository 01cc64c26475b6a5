import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { operationQuery, useCall } from '../app/operations.tsx';
import { registerWorker, registrationOf } from '../storage/workers.ts';
import { BusyButton } from '../ui/busy-button.tsx';
import { Notice } from '../ui/notice.tsx';
import { useIsInBrowser } from '../ui/use-is-in-browser.ts';

/**
 * Lets this browser tell of new posts and answers. It is asked for its permission only when it is turned on.
 */
export function Notifications({ userId }: { userId: string }) {
  const call = useCall();
  const client = useQueryClient();
  const { isOn, publicKey } = useSuspenseQuery(operationQuery(call, 'getPush', {})).data;
  const isInBrowser = useIsInBrowser();
  const change = useMutation({
    mutationFn: async () =>
      isOn
        ? await turnOff(() => call('stopPush', {}))
        : await call('startPush', await subscribe(userId, publicKey)),
    onSuccess: state => client.setQueryData(['getPush', {}], state),
  });
  if (isInBrowser && !isOn && !('PushManager' in window && 'Notification' in window))
    return (
      <p className="hint">
        This browser cannot show notifications. On an iPhone or iPad, add the site to the home screen first.
      </p>
    );
  return (
    <>
      <p>
        {isOn
          ? 'This browser tells you of new posts and of answers to your comments.'
          : 'This browser can tell you of new posts and of answers to your comments, also while it is closed.'}{' '}
        A notification never says what is in them.
      </p>
      {change.isError && <Notice text={change.error.message} />}
      <div className="acts">
        <BusyButton isBusy={change.isPending} onClick={() => change.mutate()}>
          {isOn ? 'Turn off notifications' : 'Turn on notifications'}
        </BusyButton>
      </div>
    </>
  );
}

/** Lets the browser take notifications. Rejects with a sentence where it does not. */
async function subscribe(userId: string, publicKey: string) {
  if ((await Notification.requestPermission()) !== 'granted')
    throw new Error('The browser does not allow notifications of this site. Change that in its settings.');
  try {
    await registerWorker('push', userId);
    const registration = await registrationOf('push');
    if (registration === undefined) throw new Error('It has no service worker.');
    await untilActive(registration.installing ?? registration.waiting);
    // One from before was made with another key, or for somebody else.
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
  const { promise, resolve } = Promise.withResolvers<void>();
  worker.addEventListener('statechange', () => worker.state === 'activated' && resolve());
  await promise;
}

async function turnOff<T>(stop: () => Promise<T>): Promise<T> {
  const state = await stop();
  await (await registrationOf('push'))?.unregister();
  return state;
}
