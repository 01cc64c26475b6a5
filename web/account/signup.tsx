import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, Redirect } from 'wouter';
import { useNavigate } from '../app/navigation.ts';
import { useCall } from '../app/operations.tsx';
import { RedirectTo } from '../app/redirect-to.ts';
import { routes } from '../app/routes.ts';
import type { ScreenModule } from '../app/screen.ts';
import { usePageHeading, useSetViewer, useViewer } from '../app/site.tsx';
import { onForm } from '../ui/on-form.ts';
import { SubmitButton } from '../ui/submit-button.tsx';
import { AccountFields, fieldErrors, readAccount } from './account-fields.tsx';
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
  const heading = usePageHeading('Sign Up');
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
    <main id="main" tabIndex={-1} className="page">
      <header>
        <h1 ref={heading} tabIndex={-1}>
          Sign Up
        </h1>
      </header>
      {user !== null && !isBusy && (
        <p className="notice" role="status">
          You are signed in as {user.username} now.{' '}
          <Link to={routes.timeline.href()}>Go to the timeline</Link>
        </p>
      )}
      <form className="form narrow" onSubmit={onForm(signup.mutate)}>
        {signup.isError && (
          <p className="notice bad" role="alert">
            {`Failed to create an account. ${signup.error.message}`}
          </p>
        )}
        <AccountFields errors={fieldErrors(signup.error)} />
        <Honeypot />
        <div className="acts">
          <SubmitButton isBusy={isBusy}>{isBusy ? 'Signing up...' : 'Sign Up'}</SubmitButton>
        </div>
        <noscript>
          <p className="hint">Signing up needs JavaScript.</p>
        </noscript>
        <p>
          <Link to={routes.login.href()}>Already have an account? Log In</Link>
        </p>
      </form>
    </main>
  );
}
