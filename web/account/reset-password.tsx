import { fieldText } from '../app/form.tsx';
import { useQueryString } from '../app/navigation.ts';
import { useCall } from '../app/operations.tsx';
import { routes } from '../app/routes.ts';
import type { ScreenModule } from '../app/screen.ts';
import { NewPasswordField } from './account-fields.tsx';
import { brokenLink, LinkForm, RefusedLink } from './link-form.tsx';

const title = 'Choose a new password';

export const prepare: ScreenModule['prepare'] = async () => ({ title });

/** The page of the link in a reset mail. Opening it changes nothing. */
export default function ResetPasswordPage() {
  const call = useCall();
  const token = useQueryString().get('token');
  if (token === null) return <RefusedLink title={title} reason={brokenLink} />;
  return (
    <LinkForm
      title={title}
      intro="This signs you out on all devices. Passkeys go on working."
      submit="Set password"
      submitting="Setting password..."
      send={form => call('resetPassword', { token, password: fieldText(form, 'password') })}
      done={{ text: 'Your password has been changed.', to: routes.login.href(), link: 'Log In' }}
    >
      <NewPasswordField name="password" label="New password" />
    </LinkForm>
  );
}
