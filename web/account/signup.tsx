import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, Redirect } from 'wouter';
import { Form } from '../app/form.tsx';
import { useNavigate } from '../app/navigation.ts';
import { useCall } from '../app/operations.tsx';
import { Page } from '../app/page.tsx';
import { RedirectTo } from '../app/redirect-to.ts';
import { routes } from '../app/routes.ts';
import type { ScreenModule } from '../app/screen.ts';
import { useSetViewer, useViewer } from '../app/site.tsx';
import { AccountFields, readAccount } from './account-fields.tsx';
import { Honeypot, useSignUpProof } from './sign-up-proof.tsx';

export const prepare: ScreenModule['prepare'] = async ({ call }) => {
  if ((await call('getViewer', {})).user !== null) throw new RedirectTo(routes.timeline.href());
  return { title: 'Sign Up' };
};

/** Sign up (specification section 2, "/signup"): the account then waits for approval. */
export default function SignupPage() {
  const { user } = useViewer();
  // Whom this page makes an account for is on the way elsewhere by itself.
  const [wasSignedIn] = useState(user !== null);
  return wasSignedIn && user !== null ? <Redirect to={routes.timeline.href()} replace /> : <SignupForm />;
}

function SignupForm() {
  const call = useCall();
  const proof = useSignUpProof();
  const setViewer = useSetViewer();
  const navigate = useNavigate();
  const signup = useMutation({
    mutationFn: async (form: FormData) => call('signUp', { ...readAccount(form), ...(await proof(form)) }),
    onSuccess: viewer => {
      setViewer(viewer);
      navigate(routes.timeline.href(), { replace: true });
      window.scrollTo({ top: 0, behavior: 'smooth' });
    },
  });
  // In another tab: what was typed here stays.
  const { user } = useViewer();
  const isBusy = signup.isPending || signup.isSuccess;
  return (
    <Page title="Sign Up">
      {user !== null && !isBusy && (
        <p className="notice" role="status">
          You are signed in as {user.username} now.{' '}
          <Link to={routes.timeline.href()}>Go to the timeline</Link>
        </p>
      )}
      <Form
        sending={signup}
        submit="Sign Up"
        submitting="Signing up..."
        isBusy={isBusy}
        failure={signup.error === null ? undefined : `Failed to create an account. ${signup.error.message}`}
        after={
          <p>
            <Link to={routes.login.href()}>Already have an account? Log In</Link>
          </p>
        }
      >
        <AccountFields />
        <Honeypot />
      </Form>
    </Page>
  );
}
