import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import { isCodeAsked } from '../../contract/errors.ts';
import { nextPath } from '../../contract/next-path.ts';
import type { Output } from '../../contract/operations.ts';
import { Form, fieldText } from '../app/form.tsx';
import { useNavigate, useQueryString } from '../app/navigation.ts';
import { Page } from '../app/page.tsx';
import { KnownEmail } from '../app/password-fields.tsx';
import { useCall } from '../app/queries.tsx';
import { codeHref, loginHref, routes } from '../app/routes.ts';
import { useSetViewer, useViewer } from '../app/site.tsx';
import { useToast } from '../app/toasts.tsx';
import { sessionMutationKey } from '../app/viewer.ts';
import { Announced } from '../ui/announced.tsx';
import { NewPasswordField } from './account-fields.tsx';
import { KeepSignedIn, keepsSignedIn } from './keep-signed-in.tsx';
import { brokenLink, forLink, RefusedLink, tokenOf, useFirstAnswer } from './link-form.tsx';

const title = 'Choose a new password';
const isChanged = 'Your password has been changed.';

export const prepare = forLink(
  title,
  async (call, token) => (await call('getResetLink', { token })).link !== null,
);

/** The page of the link in a reset mail. Opening it changes nothing. */
export default function ResetPasswordPage() {
  const token = tokenOf(useQueryString());
  return token === null ? <RefusedLink title={title} reason={brokenLink} /> : <UseLink token={token} />;
}

function UseLink({ token }: { token: string }) {
  const { link } = useFirstAnswer('getResetLink', { token });
  return link === null ? <LinkOver /> : <ResetForm token={token} {...link} />;
}

/** Where one was going when one forgot the password. */
const useNext = () => nextPath(useQueryString().get('next'));

function LinkOver() {
  const next = useNext();
  return (
    <RefusedLink title={title} reason="This link is no longer valid. It works once, for an hour.">
      <p>
        <Link to={routes.forgotPassword.href(`?next=${encodeURIComponent(next)}`)}>Request a new link</Link>
      </p>
    </RefusedLink>
  );
}

type ResetFormProps = { token: string } & NonNullable<Output<'getResetLink'>['link']>;

function ResetForm({ token, username, email }: ResetFormProps) {
  const { user } = useViewer();
  const next = useNext();
  const reset = useReset(token, email, next);
  // Set while another way to log in is left: the password is changed, but did not log in.
  const isLeft = reset.data === null;
  return (
    <Page title={title}>
      <Announced className="notice good">{isLeft && isChanged}</Announced>
      {isLeft ? (
        <p>
          <Link to={loginHref(next)}>Log In</Link>
        </p>
      ) : (
        <Form
          sending={reset}
          submit="Set password"
          submitting="Setting password..."
          isBusy={reset.isPending || reset.isSuccess}
        >
          <p>
            This sets a new password for <strong>{username}</strong>, logs you out on all devices, and logs
            you in here. Passkeys go on working.
          </p>
          {user !== null && user.username !== username && (
            <p className="notice">You are logged in as {user.username} now. Logging in ends that session.</p>
          )}
          <KnownEmail email={email} />
          <NewPasswordField name="password" label="New password" />
          <KeepSignedIn />
        </Form>
      )}
    </Page>
  );
}

/**
 * Sets the password and logs in with it as with any other, so that a second factor is asked for. Its answer
 * is null where that was refused.
 */
function useReset(token: string, email: string, next: string) {
  const call = useCall();
  const setViewer = useSetViewer();
  const navigate = useNavigate();
  const toast = useToast();
  return useMutation({
    mutationKey: sessionMutationKey,
    mutationFn: async (form: FormData) => {
      const password = fieldText(form, 'password');
      await call('resetPassword', { token, password });
      return await call('signIn', { email, password, keepSignedIn: keepsSignedIn(form) }).catch(
        (error: unknown) => (isCodeAsked(error) ? 'code' : null),
      );
    },
    onSuccess: viewer => {
      if (viewer === null) return;
      toast({ text: isChanged });
      if (viewer !== 'code') setViewer(viewer);
      navigate(viewer === 'code' ? codeHref(next) : next, { replace: true });
    },
  });
}
