import { Link } from 'wouter';
import { nextPath } from '../../contract/next-path.ts';
import { fieldText } from '../app/form.tsx';
import { useQueryString } from '../app/navigation.ts';
import { useCall } from '../app/queries.tsx';
import { loginHref, signInLinkHref } from '../app/routes.ts';
import type { ScreenModule } from '../app/screen.ts';
import { useSettings } from '../app/site.tsx';
import { LinkForm } from './link-form.tsx';
import { LoginEmailField } from './login-email.tsx';

export const prepare: ScreenModule['prepare'] = async () => ({ title: 'Forgot your password?' });

/** Requests the link that sets a new password (decision 26). */
export default function ForgotPasswordPage() {
  const call = useCall();
  const { sendsMail } = useSettings();
  const next = nextPath(useQueryString().get('next'));
  return (
    <LinkForm
      title="Forgot your password?"
      intro={
        sendsMail
          ? 'We’ll email you a link to choose a new one.'
          : 'This site does not send email. Request a reset link here, then ask the site’s author for it.'
      }
      submit={sendsMail ? 'Send link' : 'Request link'}
      submitting={sendsMail ? 'Sending...' : 'Requesting...'}
      send={form => call('requestPasswordReset', { email: fieldText(form, 'email'), next })}
      done={{
        text: sendsMail
          ? 'If there is an account with this address, we have emailed it a link. It works for one hour.'
          : 'If there is an account with this address, a reset link has been created. Ask the site’s author for it; it works for one hour.',
        to: loginHref(next),
        link: 'Back to Log In',
      }}
    >
      {sendsMail && (
        <p>
          You can also log in without a password:{' '}
          <Link className="within" to={signInLinkHref(next)}>
            let us email you a link
          </Link>{' '}
          that logs you in.
        </p>
      )}
      <LoginEmailField />
    </LinkForm>
  );
}
