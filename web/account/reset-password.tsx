import { password } from '../../contract/constants.ts';
import { useQueryString } from '../app/navigation.ts';
import { useCall } from '../app/operations.tsx';
import { routes } from '../app/routes.ts';
import type { ScreenModule } from '../app/screen.ts';
import { Field } from '../ui/field.tsx';
import { brokenLink, LinkForm, RefusedLink } from './link-form.tsx';

const title = 'Choose a new password';

export const prepare: ScreenModule['prepare'] = async () => ({ title });

/** Where the link of the reset mail leads. Opening it changes nothing. */
export default function ResetPasswordPage() {
  const call = useCall();
  const token = useQueryString().get('token');
  if (token === null) return <RefusedLink title={title} reason={brokenLink} />;
  return (
    <LinkForm
      title={title}
      intro="Everybody who is signed in to this account is signed out by it."
      submit={['Set the password', 'Setting the password...']}
      send={form => call('resetPassword', { token, password: String(form.get('password') ?? '') })}
      done={{ text: 'Your new password is set.', to: routes.login.href(), link: 'Log In' }}
    >
      <Field
        name="password"
        type="password"
        label="New password"
        autoComplete="new-password"
        required
        minLength={password.min}
        maxLength={password.max}
        hint={`${password.min} to ${password.max} characters`}
      />
    </LinkForm>
  );
}
