import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { isCodeAsked } from '../../contract/errors.ts';
import type { Call } from '../../contract/operations.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { CodeField } from './code-field.tsx';
import { Form, fieldText } from './form.tsx';
import { CurrentPasswordField, KnownEmail } from './password-fields.tsx';
import { operationQuery } from './queries.tsx';
import { useSettings, useViewer } from './site.tsx';

type DialogProps = { call: Call; onAnswer(isConfirmed: boolean): void };

/** Asks the reader to confirm their identity, in the account's ways. Closing the dialog means no. */
export function SignInAgainDialog({ call, onAnswer }: DialogProps) {
  const account = useQuery(operationQuery(call, 'getAccount', {})).data;
  const hasPasskeys = (useQuery(operationQuery(call, 'listPasskeys', {})).data?.passkeys.length ?? 0) > 0;
  const needsCode = useQuery(operationQuery(call, 'getSecondFactor', {})).data?.isOn ?? false;
  const way = { call, onConfirmed: () => onAnswer(true) };
  const others = (
    <>
      <button type="button" className="quiet" onClick={() => onAnswer(false)}>
        Cancel
      </button>
      {hasPasskeys && <PasskeyButton {...way} />}
    </>
  );
  return (
    <Dialog title="Please confirm that it is you" isOpen onClose={() => onAnswer(false)}>
      <p>It has been a while since you logged in.</p>
      {/* Until the account is loaded, it asks for a password, which most accounts have. */}
      {account === undefined || account.hasPassword ? (
        <PasswordForm {...way} needsCode={needsCode} beside={others} />
      ) : (
        <WithoutPassword
          {...way}
          isConnected={account.isConnected}
          hasPasskeys={hasPasskeys}
          others={others}
        />
      )}
    </Dialog>
  );
}

type WayProps = { call: Call; onConfirmed(): void };

type PasswordFormProps = WayProps & { needsCode: boolean; beside: ReactNode };

function PasswordForm({ call, needsCode, onConfirmed, beside }: PasswordFormProps) {
  const { user } = useViewer();
  const confirm = useMutation({
    mutationFn: (form: FormData) =>
      call('confirmPassword', {
        currentPassword: fieldText(form, 'currentPassword'),
        ...(needsCode && { code: fieldText(form, 'code') }),
      }),
    onSuccess: onConfirmed,
  });
  return (
    <Form sending={confirm} submit="Continue" submitting="Checking..." beside={beside}>
      <KnownEmail email={user?.email ?? ''} />
      <CurrentPasswordField autoFocus />
      {needsCode && <CodeField label="Code of your app" hint="Or one of your recovery codes." />}
    </Form>
  );
}

function PasskeyButton({ call, onConfirmed }: WayProps) {
  const confirm = useMutation({
    mutationFn: async () => {
      const { describeFailure, signWithPasskey } = await import('../passkeys/browser.ts');
      const signed = await signWithPasskey(call).catch((error: Error) => {
        throw new Error(describeFailure(error));
      });
      return await call('confirmWithPasskey', { signed });
    },
    onSuccess: onConfirmed,
  });
  return (
    <>
      {confirm.isError && <Notice text={confirm.error.message} />}
      <button
        type="button"
        className="button"
        aria-busy={confirm.isPending}
        onClick={() => confirm.isPending || confirm.mutate()}
      >
        Use a passkey
      </button>
    </>
  );
}

type NoPasswordProps = WayProps & { isConnected: boolean; hasPasskeys: boolean; others: ReactNode };

/**
 * Takes the code of the mail, and then that of the app if the account has a second factor. Without a code it
 * checks whether there has been a sign-in in another tab.
 */
function useCodeOrOtherTab({ call, onConfirmed }: WayProps, email: string) {
  const [asksAppCode, setAsksAppCode] = useState(false);
  const hasSignedIn = async () => (await call('getAccount', {})).hasRecentSignIn;
  const onSuccess = (isConfirmed: boolean) => isConfirmed && onConfirmed();
  const onReturn = useMutation({ mutationFn: hasSignedIn, onSuccess });
  useReturnToTab(() => onReturn.isPending || onReturn.mutate());
  const confirm = useMutation({
    mutationFn: async (form: FormData) => {
      const code = fieldText(form, 'code');
      if (code === '') return await hasSignedIn();
      if (asksAppCode) await call('signInWithCode', { code });
      else await call('signInByLink', { email, code });
      return true;
    },
    onSuccess,
    onError: error => isCodeAsked(error) && setAsksAppCode(true),
  });
  const restart = () => {
    setAsksAppCode(false);
    confirm.reset();
  };
  return { confirm, asksAppCode, restart };
}

/**
 * For an account without a password: a code by mail, or another tab of this browser, which has the same
 * session. The server stores the sign-in with the session, and this tab continues as soon as it is visible
 * again.
 */
function WithoutPassword({ isConnected, hasPasskeys, others, ...way }: NoPasswordProps) {
  const email = useViewer().user?.email ?? '';
  const { sendsMail, openidName } = useSettings();
  const { confirm, asksAppCode, restart } = useCodeOrOtherTab(way, email);
  const request = useMutation({
    mutationFn: () => way.call('requestSignInLink', { email, next: '/account' }),
    onSuccess: restart,
  });
  const provider = isConnected ? openidName : null;
  if (!sendsMail && provider === null) {
    return (
      <>
        {!hasPasskeys && <p>Your account has no password. Ask the site’s author for a link that sets one.</p>}
        <div className="acts">{others}</div>
      </>
    );
  }
  return (
    <>
      {request.isError && <Notice text={request.error.message} />}
      <p>Log in once more. This page then continues by itself.</p>
      <div className="acts">
        {sendsMail && (
          <button
            type="button"
            className="button"
            aria-busy={request.isPending}
            onClick={() => request.isPending || request.mutate()}
          >
            Email me a link
          </button>
        )}
        {provider !== null && (
          <a className="button" href="/login/openid?confirm" target="_blank" rel="nofollow noreferrer">
            Continue with {provider}
          </a>
        )}
      </div>
      <p role="status">
        {confirm.data === false
          ? 'You have not logged in once more in this browser yet.'
          : request.isSuccess &&
            `We have emailed a link to ${email}. Open it in this browser, or type its code here. It works once, for 15 minutes.`}
      </p>
      <Form
        sending={confirm}
        submit="Continue"
        submitting="Checking..."
        failure={confirm.error === null || isCodeAsked(confirm.error) ? null : confirm.error.message}
        beside={others}
      >
        {asksAppCode ? (
          <CodeField key="app" label="Code of your app" hint="Or one of your recovery codes." autoFocus />
        ) : (
          request.isSuccess && (
            <CodeField label="Code from the email" hint="Not needed if you open the link." required={false} />
          )
        )}
      </Form>
    </>
  );
}

/** Calls `onReturn` when the reader comes back to this tab. */
function useReturnToTab(onReturn: () => void) {
  const onVisible = useEffectEvent(() => {
    if (document.visibilityState === 'visible') onReturn();
  });
  useEffect(() => {
    const listening = new AbortController();
    const { signal } = listening;
    window.addEventListener('focus', () => onVisible(), { signal });
    document.addEventListener('visibilitychange', () => onVisible(), { signal });
    return () => listening.abort();
  }, []);
}
