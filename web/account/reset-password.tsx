import { fieldText } from '../app/form.tsx';
import { useQueryString } from '../app/navigation.ts';
import { useCall } from '../app/operations.tsx';
import { routes } from '../app/routes.ts';
import type { ScreenModule } from '../app/screen.ts';
import { NewPasswordField } from './account-fields.tsx';
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
      submit="Set the password"
      submitting="Setting the password..."
      send={form => call('resetPassword', { token, password: fieldText(form, 'password') })}
      done={{ text: 'Your new password is set.', to: routes.login.href(), link: 'Log In' }}
    >
      <NewPasswordField name="password" label="New password" />
    </LinkForm>
  );
}
