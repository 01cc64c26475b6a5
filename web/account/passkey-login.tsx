import { useMutation } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { Output } from '../../contract/operations.ts';
import { useCall } from '../app/queries.tsx';
import { sessionMutationKey } from '../app/viewer.ts';
import {
  describeFailure,
  hasPasskeys,
  offersPasskeys,
  signWithPasskey,
  wasCancelled,
  withdraw,
} from '../passkeys/browser.ts';
import { BusyButton } from '../ui/busy-button.tsx';
import { Notice } from '../ui/notice.tsx';

/** How often an open page gets a new challenge, in milliseconds: one is valid for an hour. */
const renewedMs = 45 * 60_000;

type PasskeyLoginProps = { keepSignedIn: boolean; onSignedIn(viewer: Output<'getViewer'>): void };

/**
 * Logging in with a passkey: with a button, or from the autofill of the address field. An empty space without
 * scripts or in a browser without passkeys.
 */
export function PasskeyLogin({ keepSignedIn, onSignedIn }: PasskeyLoginProps) {
  const call = useCall();
  const [isPossible, setPossible] = useState(false);
  const login = useMutation({
    mutationKey: sessionMutationKey,
    mutationFn: async (signed: Awaited<ReturnType<typeof signWithPasskey>>) =>
      await call('signInWithPasskey', { signed, keepSignedIn }),
    onSuccess: onSignedIn,
    onError: () => void offer(),
  });
  const choose = useMutation({
    mutationFn: async () => await signWithPasskey(call),
    onSuccess: signed => login.mutate(signed),
    onError: () => void offer(),
  });
  const page = useRef<AbortController>(null);
  const offer = useEffectEvent(async () => {
    const signal = page.current?.signal;
    if (!(await offersPasskeys()) || signal?.aborted) return;
    // The reader pressed no button for this, so a failure is not shown.
    const signed = await signWithPasskey(call, { isOffered: true, signal }).catch(() => undefined);
    if (signed !== undefined) login.mutate(signed);
  });
  useEffect(() => {
    page.current = new AbortController();
    setPossible(hasPasskeys());
    void offer();
    const timer = setInterval(() => void offer(), renewedMs);
    return () => {
      clearInterval(timer);
      page.current?.abort();
      withdraw();
    };
  }, []);
  // Reserves its space, so that nothing moves when it appears.
  if (!isPossible) return <div className="acts passkey-place" />;
  const failure = login.error ?? (choose.error !== null && wasCancelled(choose.error) ? null : choose.error);
  const isBusy = choose.isPending || login.isPending || login.isSuccess;
  return (
    <>
      {failure !== null && !isBusy && <Notice text={describeFailure(failure)} />}
      <div className="acts">
        <BusyButton
          isBusy={isBusy}
          onClick={() => {
            login.reset();
            choose.mutate();
          }}
        >
          Log in with a passkey
        </BusyButton>
      </div>
    </>
  );
}
