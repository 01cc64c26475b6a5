import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Output } from '../../contract/operations.ts';
import { Form, fieldText } from '../app/form.tsx';
import { useNavigate } from '../app/navigation.ts';
import { CurrentPasswordField, KnownEmail } from '../app/password-fields.tsx';
import { operationQuery, useCall, useOperations } from '../app/queries.tsx';
import { routes } from '../app/routes.ts';
import { useSettings, useSetViewer, useViewer } from '../app/site.tsx';
import { deleteUnsavedTexts } from '../app/unsaved-texts.ts';
import { sessionMutationKey } from '../app/viewer.ts';
import { useDialogs } from '../ui/dialogs.tsx';
import { Field } from '../ui/field.tsx';
import { FullNameField, NewPasswordField } from './account-fields.tsx';

/** A mutation of the reader's own account, which may change the session. */
function useAccountChange(change: (form: FormData) => Promise<unknown>) {
  return useMutation({ mutationKey: sessionMutationKey, mutationFn: change });
}

export function NameForm({ name }: { name: string }) {
  const { call, client } = useOperations();
  const setViewer = useSetViewer();
  const rename = useAccountChange(async form => {
    const viewer = await call('changeName', { name: fieldText(form, 'name') });
    setViewer(viewer);
    // A reader who comes back to this page finds the new name in the field, not the old one.
    client.setQueryData(
      operationQuery(call, 'getAccount', {}).queryKey,
      account => account && { ...account, name: viewer.user?.name ?? account.name },
    );
  });
  return (
    <Form sending={rename} submit="Save name" buttonClass="button" done="Saved.">
      <FullNameField defaultValue={name} />
    </Form>
  );
}

/** Where the link is that a site without mail has made. */
function useUnsentLink(): string {
  const { user } = useViewer();
  return user?.isAdmin
    ? 'It is in a file on the server: the page Mail of the administration says where.'
    : 'Ask the site’s author for it.';
}

type EmailProps = Pick<Output<'getAccount'>, 'email' | 'mailPause'> & { isConfirmed: boolean };

export function EmailForm({ email, isConfirmed, mailPause }: EmailProps) {
  const call = useCall();
  const { sendsMail } = useSettings();
  const unsentLink = useUnsentLink();
  const change = useMutation({
    mutationFn: (form: FormData) => call('changeEmail', { email: fieldText(form, 'email') }),
  });
  return (
    <>
      <p>
        <span>{email}</span> <span>{isConfirmed ? '(confirmed)' : '(not confirmed)'}</span>
      </p>
      {!sendsMail && (
        <p className="hint">
          This site does not send email. A new address needs a confirmation link. {unsentLink}
        </p>
      )}
      {mailPause !== null && (
        <div className="notice bad">
          <p>Emails to this address came back, so nothing more is sent to it.</p>
          <p className="hint">
            <bdi>{mailPause}</bdi>
          </p>
          <p>Confirm that they arrive again, or change the address.</p>
        </div>
      )}
      {(!isConfirmed || mailPause !== null) && <ConfirmationMail />}
      <Form
        sending={change}
        submit="Change email"
        buttonClass="button"
        done={
          sendsMail
            ? 'We sent a link to the new address. Your email changes when you open it.'
            : `The link has been created. ${unsentLink} Your email changes when you open it.`
        }
      >
        <Field name="email" type="email" label="New email" autoComplete="email" required />
      </Form>
    </>
  );
}

function ConfirmationMail() {
  const call = useCall();
  const { sendsMail } = useSettings();
  const unsentLink = useUnsentLink();
  const confirm = useMutation({ mutationFn: () => call('sendConfirmation', {}) });
  const isPressed = confirm.isPending || confirm.isSuccess;
  const sent = sendsMail ? 'Email sent.' : `The confirmation link has been created. ${unsentLink}`;
  return (
    <div className="acts">
      <button
        type="button"
        className="quiet"
        aria-disabled={isPressed || undefined}
        onClick={() => isPressed || confirm.mutate()}
      >
        {sendsMail ? 'Resend confirmation email' : 'Create confirmation link'}
      </button>
      <span role="status">{confirm.isSuccess ? sent : confirm.error?.message}</span>
    </div>
  );
}

/** Changes the password, or sets one for an account without a password. */
export function PasswordForm({ hasPassword }: { hasPassword: boolean }) {
  const { call, client } = useOperations();
  const setViewer = useSetViewer();
  const { user } = useViewer();
  // For the message after success, when the account has a password in both cases.
  const [hadPassword, setHadPassword] = useState(hasPassword);
  const change = useAccountChange(async form => {
    setHadPassword(hasPassword);
    const viewer = await call('changePassword', {
      ...(hasPassword && { currentPassword: fieldText(form, 'currentPassword') }),
      newPassword: fieldText(form, 'newPassword'),
    });
    setViewer(viewer);
    await client.invalidateQueries({ queryKey: ['getAccount'] });
  });
  return (
    <Form
      sending={change}
      submit={hasPassword ? 'Change password' : 'Set a password'}
      buttonClass="button"
      done={
        hadPassword
          ? 'Password changed. All other sessions have been signed out.'
          : 'Password set. You can log in with it from now on.'
      }
    >
      <KnownEmail email={user?.email ?? ''} />
      {hasPassword ? <CurrentPasswordField /> : <p>Your account has no password: you log in without one.</p>}
      <NewPasswordField name="newPassword" label="New password" />
    </Form>
  );
}

export function DeleteAccountForm() {
  const call = useCall();
  const navigate = useNavigate();
  const setViewer = useSetViewer();
  const { user } = useViewer();
  const { confirm } = useDialogs();
  const remove = useAccountChange(async form => {
    const viewer = await call('deleteAccount', {
      comments: fieldText(form, 'comments') === 'delete' ? 'delete' : 'keep',
    });
    // The account is deleted: nobody can use these texts any more.
    if (user !== null) await deleteUnsavedTexts(user.id);
    navigate(routes.timeline.href(), { replace: true });
    setViewer(viewer, 'deleteAccount');
  });
  const ask: typeof remove.mutate = async (form, options) => {
    const isSure = await confirm('Are you sure you want to delete your account? This cannot be undone.', {
      action: 'Delete account',
      isDangerous: true,
    });
    if (isSure) remove.mutate(form, options);
  };
  return (
    <Form
      sending={{ ...remove, mutate: ask }}
      submit="Delete account permanently"
      buttonClass="button danger"
    >
      <p>Your likes, sessions and subscription are deleted as well. This cannot be undone.</p>
      <fieldset className="field">
        <legend>Your comments</legend>
        <label className="choice">
          <input type="radio" name="comments" value="keep" defaultChecked /> Keep them, shown as “Unknown
          User”
        </label>
        <label className="choice">
          <input type="radio" name="comments" value="delete" /> Delete them too
        </label>
      </fieldset>
    </Form>
  );
}
