import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, Redirect } from 'wouter';
import { introductionMaxCharacters } from '../../contract/constants.ts';
import { Form, fieldText } from '../app/form.tsx';
import { useQueryString } from '../app/navigation.ts';
import { Page } from '../app/page.tsx';
import { useCall } from '../app/queries.tsx';
import { RedirectTo } from '../app/redirect-to.ts';
import { routes } from '../app/routes.ts';
import type { ScreenModule } from '../app/screen.ts';
import { useSettings, useViewer } from '../app/site.tsx';
import { sessionMutationKey } from '../app/viewer.ts';
import { Announced } from '../ui/announced.tsx';
import { LongField } from '../ui/field.tsx';
import { AccountFields, readAccount, useEnter } from './account-fields.tsx';
import { accountFailure } from './failures.ts';
import { Honeypot, useSignUpProof } from './sign-up-proof.tsx';

export const prepare: ScreenModule['prepare'] = async ({ call }) => {
  if ((await call('getViewer', {})).user !== null) throw new RedirectTo(routes.timeline.href());
  return { title: 'Sign Up' };
};

/** Sign up (specification section 2, "/signup"): the account then waits for approval. */
export default function SignupPage() {
  const { user } = useViewer();
  // Only somebody who was signed in before is redirected; after a sign-up the form navigates itself.
  const [wasSignedIn] = useState(user !== null);
  const { signUp } = useSettings();
  if (wasSignedIn && user !== null) return <Redirect to={routes.timeline.href()} replace />;
  return signUp === 'everybody' ? <SignupForm /> : <NoSignup />;
}

/** Shown if the site accepts no sign-ups (a setting). */
function NoSignup() {
  const { signUp, title } = useSettings();
  return (
    <Page title="Sign Up">
      <p>
        {signUp === 'invited'
          ? `Accounts on ${title} are by invitation: ask its author for one.`
          : `${title} takes no new accounts.`}
      </p>
      <p>
        <Link to={routes.login.href()}>Already have an account? Log In</Link>
      </p>
    </Page>
  );
}

function SignupForm() {
  const call = useCall();
  const proof = useSignUpProof();
  const enter = useEnter();
  const signup = useMutation({
    mutationKey: sessionMutationKey,
    mutationFn: async (form: FormData) =>
      call('signUp', {
        ...readAccount(form),
        introduction: fieldText(form, 'introduction'),
        ...(await proof(form)),
      }),
    onSuccess: viewer => {
      enter(viewer);
      window.scrollTo({ top: 0, behavior: 'smooth' });
    },
  });
  const search = useQueryString();
  const typed = (name: string) => search.get(name) ?? undefined;
  // Text typed here stays after a sign-in in another tab.
  const { user } = useViewer();
  const isBusy = signup.isPending || signup.isSuccess;
  return (
    <Page title="Sign Up">
      <Announced className="notice">
        {user !== null && !isBusy && (
          <>
            You are logged in as {user.username} now.{' '}
            <Link to={routes.timeline.href()}>Go to the timeline</Link>
          </>
        )}
      </Announced>
      <Form
        sending={signup}
        submit="Sign Up"
        submitting="Signing up..."
        isBusy={isBusy}
        isNative
        failure={accountFailure(signup, search)}
        after={
          <p>
            <Link to={routes.login.href()}>Already have an account? Log In</Link>
          </p>
        }
      >
        <AccountFields values={{ username: typed('username'), name: typed('name'), email: typed('email') }} />
        <LongField
          name="introduction"
          label="Who are you? (optional)"
          maxLength={introductionMaxCharacters}
          rows={3}
          hint="A line to the author, who decides about your account. Only admins see it, until they have decided."
        />
        <Honeypot />
      </Form>
    </Page>
  );
}
