import { fieldText } from '../app/form.tsx';
import { useCall } from '../app/operations.tsx';
import { routes } from '../app/routes.ts';
import type { ScreenModule } from '../app/screen.ts';
import { useSettings } from '../app/site.tsx';
import { Field } from '../ui/field.tsx';
import { LinkForm } from './link-form.tsx';

export const prepare: ScreenModule['prepare'] = async () => ({ title: 'Forgot your password?' });

/** Asks for the link that sets a new password (decisions.md 26). */
export default function ForgotPasswordPage() {
  const call = useCall();
  const { sendsMail } = useSettings();
  return (
    <LinkForm
      title="Forgot your password?"
      intro={
        sendsMail
          ? 'We mail you a link to choose a new one.'
          : 'This site sends no mail. Ask here for a link to choose a new one, and its author to hand it to you.'
      }
      submit={sendsMail ? 'Send the link' : 'Ask for the link'}
      submitting={sendsMail ? 'Sending...' : 'Asking...'}
      send={form => call('requestPasswordReset', { email: fieldText(form, 'email') })}
      done={{
        text: sendsMail
          ? 'If there is an account with this address, a mail with a link is on its way. It works for an hour.'
          : 'If there is an account with this address, a link lies ready now. Ask the author of the site for it; it works for an hour.',
        to: routes.login.href(),
        link: 'Back to Log In',
      }}
    >
      <Field name="email" type="email" label="Email" autoComplete="username" required />
    </LinkForm>
  );
}
