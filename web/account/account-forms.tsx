import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { fullName, password } from '../../contract/constants.ts';
import type { Output } from '../../contract/operations.ts';
import { useNavigate } from '../app/navigation.ts';
import { useCall } from '../app/operations.tsx';
import { routes } from '../app/routes.ts';
import { useSettings, useSetViewer } from '../app/site.tsx';
import { sessionMutationKey } from '../app/viewer.ts';
import { Field } from '../ui/field.tsx';
import { SubmitButton } from '../ui/submit-button.tsx';
import { fieldErrors } from './account-fields.tsx';

type SettingFormProps = {
  submit: string;
  isDanger?: boolean;
  send(form: FormData): Promise<unknown>;
  /** What is said when it worked. */
  done?: string;
  children(errors: Record<string, string>): ReactNode;
};

/** A form that changes one thing and stays where it is. */
function SettingForm({ submit, isDanger, send, done, children }: SettingFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const sent = useMutation({
    mutationKey: sessionMutationKey,
    mutationFn: send,
    onSuccess: () => {
      // Passwords do not stay on the screen; what else was typed does.
      for (const input of form.current?.querySelectorAll<HTMLInputElement>('input[type=password]') ?? []) {
        input.value = '';
      }
    },
  });
  const errors = fieldErrors(sent.error);
  return (
    <form
      ref={form}
      className="form narrow"
      onSubmit={event => {
        event.preventDefault();
        sent.mutate(new FormData(event.currentTarget));
      }}
    >
      {sent.isError && (
        <p className="notice bad" role="alert">
          {sent.error.message}
        </p>
      )}
      {sent.isSuccess && done !== undefined && (
        <p className="notice good" role="status">
          {done}
        </p>
      )}
      {children(errors)}
      <div className="acts">
        <SubmitButton isBusy={sent.isPending} className={isDanger ? 'button danger' : 'button'}>
          {submit}
        </SubmitButton>
      </div>
    </form>
  );
}

const text = (form: FormData, name: string) => String(form.get(name) ?? '');

function CurrentPassword({ error }: { error: string | undefined }) {
  return (
    <Field
      name="currentPassword"
      type="password"
      label="Your password"
      autoComplete="current-password"
      required
      error={error}
    />
  );
}

export function NameForm({ name }: { name: string }) {
  const call = useCall();
  const client = useQueryClient();
  const setViewer = useSetViewer();
  return (
    <SettingForm
      submit="Save the name"
      done="Saved."
      send={async form => {
        const viewer = await call('changeName', { name: text(form, 'name') });
        setViewer(viewer);
        // Who comes back to this page finds the new name in the field, not the one that it would take back.
        client.setQueryData<Output<'getAccount'>>(
          ['getAccount', {}],
          account => account && { ...account, name: viewer.user?.name ?? account.name },
        );
      }}
    >
      {errors => (
        <Field
          name="name"
          label="Full Name"
          autoComplete="name"
          defaultValue={name}
          required
          minLength={fullName.min}
          maxLength={fullName.max}
          error={errors.name}
        />
      )}
    </SettingForm>
  );
}

export function EmailForm({ email, isConfirmed }: { email: string; isConfirmed: boolean }) {
  const call = useCall();
  const { sendsMail } = useSettings();
  const confirm = useMutation({ mutationFn: () => call('sendConfirmation', {}) });
  return (
    <>
      <p>
        {email}
        {isConfirmed ? ' (confirmed)' : ' (not confirmed yet)'}
      </p>
      {!sendsMail && (
        <p className="hint">This site sends no mail. Ask its author for the link that a mail would hold.</p>
      )}
      {!isConfirmed && (
        <div className="acts">
          <button
            type="button"
            className="quiet"
            disabled={confirm.isPending || confirm.isSuccess}
            onClick={() => confirm.mutate()}
          >
            Send the confirmation mail again
          </button>
          <span role="status">
            {confirm.isSuccess
              ? sendsMail
                ? 'It is on its way.'
                : 'Its link lies ready.'
              : confirm.isError
                ? confirm.error.message
                : ''}
          </span>
        </div>
      )}
      <SettingForm
        submit="Change the address"
        done={
          sendsMail
            ? 'A mail with a link is on its way to the new address. It changes when you open the link.'
            : 'A link lies ready. Your address changes when you open it.'
        }
        send={form =>
          call('changeEmail', {
            email: text(form, 'email'),
            currentPassword: text(form, 'currentPassword'),
          })
        }
      >
        {errors => (
          <>
            <Field
              name="email"
              type="email"
              label="New address"
              autoComplete="email"
              required
              error={errors.email}
            />
            <CurrentPassword error={errors.currentPassword} />
          </>
        )}
      </SettingForm>
    </>
  );
}

export function PasswordForm() {
  const call = useCall();
  const client = useQueryClient();
  const setViewer = useSetViewer();
  return (
    <SettingForm
      submit="Change the password"
      done="Your password is changed. Every other session is signed out."
      send={async form => {
        const viewer = await call('changePassword', {
          currentPassword: text(form, 'currentPassword'),
          newPassword: text(form, 'newPassword'),
        });
        setViewer(viewer);
        await client.invalidateQueries({ queryKey: ['getAccount'] });
      }}
    >
      {errors => (
        <>
          <CurrentPassword error={errors.currentPassword} />
          <Field
            name="newPassword"
            type="password"
            label="New password"
            autoComplete="new-password"
            required
            minLength={password.min}
            maxLength={password.max}
            hint={`${password.min} to ${password.max} characters`}
            error={errors.newPassword}
          />
        </>
      )}
    </SettingForm>
  );
}

export function DeleteAccountForm() {
  const call = useCall();
  const navigate = useNavigate();
  const setViewer = useSetViewer();
  return (
    <SettingForm
      submit="Delete the account for good"
      isDanger
      send={async form => {
        const viewer = await call('deleteAccount', {
          currentPassword: text(form, 'currentPassword'),
          comments: form.get('comments') === 'delete' ? 'delete' : 'keep',
        });
        navigate(routes.timeline.href(), { replace: true });
        setViewer(viewer);
      }}
    >
      {errors => (
        <>
          <p>Your likes, sessions and subscription go with it. This cannot be undone.</p>
          <fieldset className="field">
            <legend>Your comments</legend>
            <label className="choice">
              <input type="radio" name="comments" value="keep" defaultChecked /> stay, by ‘Unknown User’
            </label>
            <label className="choice">
              <input type="radio" name="comments" value="delete" /> go, too
            </label>
          </fieldset>
          <CurrentPassword error={errors.currentPassword} />
        </>
      )}
    </SettingForm>
  );
}
