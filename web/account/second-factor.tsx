import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import type { Output } from '../../contract/operations.ts';
import { CodeField } from '../app/code-field.tsx';
import { Form, fieldText } from '../app/form.tsx';
import { operationQuery, useCall, useOperations } from '../app/queries.tsx';
import { useSettings, useSetViewer, useViewer } from '../app/site.tsx';
import { BusyButton } from '../ui/busy-button.tsx';
import { CopyActions } from '../ui/copy-actions.tsx';
import { useDialogs } from '../ui/dialogs.tsx';
import { NeedsScripts } from '../ui/needs-scripts.tsx';
import { Notice } from '../ui/notice.tsx';
import { Section } from '../ui/section.tsx';

const QrCode = lazy(() =>
  import('../ui/qr-code.tsx').then(
    ({ QrCode }) => ({ default: QrCode }),
    // The secret can be entered by hand.
    () => ({ default: () => null }),
  ),
);

/** The actions on a second factor. After each one the page shows whether it is on. */
function useFactorActions() {
  const { call, client } = useOperations();
  const [codes, setCodes] = useState<readonly string[]>();
  const setViewer = useSetViewer();
  const refresh = () => client.invalidateQueries({ queryKey: ['getSecondFactor'] });
  const show = async ({ recoveryCodes }: { recoveryCodes: readonly string[] }) => {
    setCodes(recoveryCodes);
    offer.reset();
    await refresh();
    // If the site requires it of admins, the viewer may have more rights now.
    setViewer(await call('getViewer', {}));
    await client.invalidateQueries({ queryKey: ['getAccount'] });
  };
  const offer = useMutation({ mutationFn: () => call('requestSecondFactor', {}) });
  const renew = useMutation({ mutationFn: () => call('renewRecoveryCodes', {}), onSuccess: show });
  const turnOff = useMutation({
    mutationFn: () => call('turnOffSecondFactor', {}),
    onSuccess: async () => {
      setCodes(undefined);
      await refresh();
    },
  });
  return {
    codes,
    offer,
    renew,
    turnOff,
    show,
    failure: offer.error ?? renew.error ?? turnOff.error,
    isBusy: offer.isPending || renew.isPending || turnOff.isPending,
  };
}

/** The reader's second factor: whether it is on, setting it up, recovery codes, and turning it off. */
export function SecondFactor() {
  const title = useRef<HTMLHeadingElement>(null);
  const { user } = useViewer();
  const { isOn, recoveryCodesLeft } = useSuspenseQuery(operationQuery(useCall(), 'getSecondFactor', {})).data;
  const actions = useFactorActions();
  const { codes, offer, show, failure } = actions;
  const focusTitle = () => title.current?.focus();
  return (
    <Section title="Second factor" id="second-factor" heading={title}>
      <p>
        {isOn
          ? `On: logging in also takes a code of your app. ${left(recoveryCodesLeft)}`
          : 'Off. With it, logging in also takes a code that an app on your phone makes, so a password alone is not enough. A passkey needs no code.'}
      </p>
      {user?.needsSecondFactor && (
        <p className="notice">
          This site requires a second factor of its admins. Until you have set it up, you can do nothing as an
          admin, and neither can your access tokens.
        </p>
      )}
      {failure !== null && <Notice text={failure.message} />}
      {/* Mounted again for other codes, so that the focus moves to them as it did to the first ones. */}
      {codes !== undefined && <RecoveryCodes key={codes[0]} codes={codes} />}
      {offer.data === undefined ? (
        <FactorButtons {...actions} isOn={isOn} onTurnedOff={focusTitle} />
      ) : (
        <SetUp
          offer={offer.data}
          onDone={show}
          onStop={() => {
            offer.reset();
            focusTitle();
          }}
        />
      )}
      <NeedsScripts />
    </Section>
  );
}

type FactorButtonsProps = ReturnType<typeof useFactorActions> & { isOn: boolean; onTurnedOff(): void };

function FactorButtons({ isOn, offer, renew, turnOff, isBusy, onTurnedOff }: FactorButtonsProps) {
  const { confirm } = useDialogs();
  const mustConfirm = useMustConfirmAddress();
  const askAndTurnOff = async () => {
    const isSure = await confirm(
      'Turn off the second factor? Whoever has your password or reads your email can then log in as you.',
      { action: 'Turn off', isDangerous: true },
    );
    if (isSure) turnOff.mutate(undefined, { onSuccess: onTurnedOff });
  };
  return (
    <div className="acts">
      {mustConfirm ? (
        <span>Confirm your email address first. Then you can set up a second factor.</span>
      ) : (
        <BusyButton isBusy={isBusy} onClick={() => offer.mutate()}>
          {isOn ? 'Set up another app' : 'Set up a second factor'}
        </BusyButton>
      )}
      {isOn && (
        <>
          <BusyButton isBusy={isBusy} onClick={() => renew.mutate()}>
            New recovery codes
          </BusyButton>
          <BusyButton className="button danger" isBusy={isBusy} onClick={askAndTurnOff}>
            Turn off
          </BusyButton>
        </>
      )}
    </div>
  );
}

/** Whether the address must be confirmed first: if mail is sent, except for admins. */
function useMustConfirmAddress(): boolean {
  const { sendsMail } = useSettings();
  const { user, can } = useViewer();
  const isAdmin = can.administer || user?.needsSecondFactor;
  return sendsMail && !isAdmin && user?.isEmailConfirmed === false;
}

const left = (count: number) =>
  count === 1 ? 'One recovery code is left.' : `${count === 0 ? 'No' : count} recovery codes are left.`;

type SetUpProps = {
  offer: Output<'requestSecondFactor'>;
  onDone(answer: Output<'turnOnSecondFactor'>): void;
  onStop(): void;
};

function SetUp({ offer: { secret, uri }, onDone, onStop }: SetUpProps) {
  const call = useCall();
  const turnOn = useMutation({
    mutationFn: (form: FormData) => call('turnOnSecondFactor', { secret, code: fieldText(form, 'code') }),
    onSuccess: onDone,
  });
  return (
    <Form
      sending={turnOn}
      submit="Turn on"
      submitting="Checking..."
      buttonClass="button"
      after={
        <button type="button" className="quiet" onClick={onStop}>
          Cancel
        </button>
      }
    >
      <p>
        Scan this with an app that makes codes, or enter the secret there by hand. Then enter the code that it
        makes.
      </p>
      <Suspense fallback={null}>
        <QrCode text={uri} label="The secret as a QR code" />
      </Suspense>
      <p>
        <code>{secret.match(/.{4}/g)?.join(' ')}</code>
      </p>
      {/* On a phone the app is on the device that shows the QR code. */}
      <CopyActions text={secret} byHand="Please select and copy it." label="Copy the secret">
        <a className="button" href={uri}>
          Open in an app on this device
        </a>
      </CopyActions>
      <CodeField label="Code of the app" hint="All other sessions are signed out" autoFocus />
    </Form>
  );
}

/** Shows new recovery codes, which can never be read again. */
function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  const box = useRef<HTMLElement>(null);
  // They are shown only once, so the focus moves to them.
  useEffect(() => box.current?.focus(), []);
  return (
    <section className="notice good form" ref={box} tabIndex={-1} aria-labelledby="recovery-title">
      <p id="recovery-title">
        <strong>Your recovery codes:</strong> write them down now, they won’t be shown again. Each logs you in
        once, in place of a code, when you have lost your device.
      </p>
      <ul>
        {codes.map(code => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <CopyActions text={codes.join('\n')} byHand="Please write them down." />
    </section>
  );
}
