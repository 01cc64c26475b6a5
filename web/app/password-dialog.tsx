import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Call } from '../../contract/operations.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { Form, fieldText } from './form.tsx';
import { operationQuery } from './operations.tsx';
import { useViewer } from './site.tsx';

type DialogProps = { call: Call; onAnswer(isGiven: boolean): void };

/** Asks for the password once more, or for a passkey; closed without either, it answers no. */
export function PasswordDialog({ call, onAnswer }: DialogProps) {
  // Until it is known, what most accounts have is asked for.
  const hasPassword = useQuery(operationQuery(call, 'getAccount', {})).data?.hasPassword ?? true;
  const hasPasskeys = (useQuery(operationQuery(call, 'listPasskeys', {})).data?.passkeys.length ?? 0) > 0;
  const needsCode = useQuery(operationQuery(call, 'getSecondFactor', {})).data?.isOn ?? false;
  const others = (
    <div className="acts">
      {hasPasskeys && <PasskeyButton call={call} onConfirmed={() => onAnswer(true)} />}
      <button type="button" className="quiet" onClick={() => onAnswer(false)}>
        Cancel
      </button>
    </div>
  );
  return (
    <Dialog title="Please confirm that it is you" isOpen onClose={() => onAnswer(false)}>
      <p>It is a while since you logged in.</p>
      {hasPassword ? (
        <PasswordForm call={call} needsCode={needsCode} onConfirmed={() => onAnswer(true)} after={others} />
      ) : (
        <>
          {!hasPasskeys && <p>Your account has no password: log out and log in again, then try once more.</p>}
          {others}
        </>
      )}
    </Dialog>
  );
}

type WayProps = { call: Call; onConfirmed(): void };

type PasswordFormProps = WayProps & { needsCode: boolean; after: ReactNode };

function PasswordForm({ call, needsCode, onConfirmed, after }: PasswordFormProps) {
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
    <Form sending={confirm} submit="Continue" submitting="Checking..." after={after}>
      {/* For a password manager, which asks whose password it is. */}
      <input type="email" autoComplete="username" value={user?.email ?? ''} readOnly hidden />
      <Field
        name="currentPassword"
        type="password"
        label="Your password"
        autoComplete="current-password"
        required
        autoFocus
      />
      {needsCode && (
        <Field
          name="code"
          label="Code of your app"
          autoComplete="one-time-code"
          inputMode="numeric"
          required
          maxLength={30}
        />
      )}
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
