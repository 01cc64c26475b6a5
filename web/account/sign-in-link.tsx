import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Link, Redirect } from 'wouter';
import { isCodeAsked } from '../../contract/errors.ts';
import { nextPath } from '../../contract/next-path.ts';
import type { Output } from '../../contract/operations.ts';
import { CodeField } from '../app/code-field.tsx';
import { Form, fieldText } from '../app/form.tsx';
import { useNavigate, useQueryString } from '../app/navigation.ts';
import { Page } from '../app/page.tsx';
import { useCall } from '../app/queries.tsx';
import { codeHref, loginHref, signInLinkHref } from '../app/routes.ts';
import { useSettings, useSetViewer, useViewer } from '../app/site.tsx';
import { sessionMutationKey, type Viewer } from '../app/viewer.ts';
import { Announced } from '../ui/announced.tsx';
import { useFocusReturn } from '../ui/use-focus-return.ts';
import { ConfirmedPage } from './confirmed-notice.tsx';
import { failureOf } from './failures.ts';
import { Invited, isInvitation } from './invited.tsx';
import { KeepSignedIn, keepsSignedIn } from './keep-signed-in.tsx';
import { forLink, RefusedLink, tokenOf, useFirstAnswer } from './link-form.tsx';
import { forgetLoginEmail, LoginEmailField } from './login-email.tsx';

const title = 'Log in with a link';
const linkOver = 'This link is no longer valid. It works once, for 15 minutes, and a new password ends it.';

export const prepare = forLink(
  title,
  async (call, token) => (await call('getSignInLink', { token })).link !== null,
);

/**
 * Requests a sign-in link by mail, and is the page of that link. Opening it changes nothing: programs that
 * read mail open links, too.
 */
export default function SignInLinkPage() {
  const token = tokenOf(useQueryString());
  return token === null ? <RequestLink /> : <UseLink token={token} />;
}

function RequestLink() {
  const call = useCall();
  const search = useQueryString();
  const { sendsMail } = useSettings();
  const next = search.get('next');
  const request = useMutation({
    mutationFn: (form: FormData) =>
      call('requestSignInLink', {
        email: fieldText(form, 'email'),
        ...(next !== null && { next: nextPath(next) }),
      }),
  });
  const isSent = request.isSuccess || (request.isIdle && search.has('done'));
  const field = useRef<HTMLInputElement>(null);
  useFocusReturn(field, isSent);
  const back = (
    <p>
      <Link to={loginHref(nextPath(next))}>Back to Log In</Link>
    </p>
  );
  if (!sendsMail) {
    return (
      <RefusedLink title={title} reason="This site does not send email. Please log in with your password.">
        {back}
      </RefusedLink>
    );
  }
  const email = request.isSuccess ? fieldText(request.variables, 'email').trim() : undefined;
  return (
    <Page title={title}>
      {isInvitation(nextPath(next)) && <Invited />}
      <Announced className="notice good">
        {isSent &&
          `${email === undefined ? 'If there is an account with this address' : `If ${email} is the address of an account`}, we have emailed it a link. It works once, for 15 minutes.`}
      </Announced>
      {isSent ? (
        <div className="form">
          <div className="scripted">
            <CodeForm email={email} />
          </div>
          <p>
            <Link to={signInLinkHref(nextPath(next))} onClick={request.reset}>
              Use another address
            </Link>
          </p>
          {back}
        </div>
      ) : (
        <Form
          sending={request}
          submit="Email me a link"
          submitting="Sending..."
          isNative
          failure={failureOf(request, search, failures)}
          after={back}
        >
          <p>You need no password: we’ll email you a link that logs you in.</p>
          <LoginEmailField ref={field} />
        </Form>
      )}
    </Page>
  );
}

/**
 * For the installed app, where the link would open another browser. The address is undefined if it was sent
 * without scripts.
 */
function CodeForm({ email }: { email: string | undefined }) {
  const call = useCall();
  const next = nextPath(useQueryString().get('next'));
  const { user } = useViewer();
  const [wasSignedIn] = useState(user !== null);
  const signIn = useSignIn(form =>
    call('signInByLink', {
      email: email ?? fieldText(form, 'email'),
      code: fieldText(form, 'code'),
      keepSignedIn: keepsSignedIn(form),
    }),
  );
  // The link has logged in in another tab.
  if (user !== null && !wasSignedIn && !signIn.isPending && !signIn.isSuccess)
    return <Redirect to={next} replace />;
  return (
    <Form
      sending={signIn}
      submit="Log In"
      submitting="Logging in..."
      isBusy={signIn.isPending || signIn.isSuccess}
      failure={signIn.error === null || isCodeAsked(signIn.error) ? null : signIn.error.message}
    >
      {email === undefined && <LoginEmailField />}
      <CodeField
        label="Code from the email"
        hint="Six digits from the email. Type them if you read the email on another device."
      />
      <KeepSignedIn />
    </Form>
  );
}

/** Signs in, and goes to where the reader wanted to go, or to the second factor. */
function useSignIn(sign: (form: FormData) => Promise<Viewer>, staysHere = false) {
  const setViewer = useSetViewer();
  const navigate = useNavigate();
  const next = nextPath(useQueryString().get('next'));
  return useMutation({
    mutationKey: sessionMutationKey,
    mutationFn: sign,
    onSuccess: viewer => {
      forgetLoginEmail();
      setViewer(viewer);
      if (!staysHere) navigate(next, { replace: true });
    },
    onError: error => {
      if (!isCodeAsked(error)) return;
      forgetLoginEmail();
      navigate(codeHref(next), { replace: true });
    },
  });
}

function UseLink({ token }: { token: string }) {
  const { link } = useFirstAnswer('getSignInLink', { token });
  return link === null ? <LinkOver /> : <SignInForm token={token} link={link} />;
}

function LinkOver() {
  const next = nextPath(useQueryString().get('next'));
  return (
    <RefusedLink title={title} reason={linkOver}>
      <p>
        <Link to={signInLinkHref(next)}>Email me a new link</Link>
      </p>
    </RefusedLink>
  );
}

type SignInLink = NonNullable<Output<'getSignInLink'>['link']>;

function SignInForm({ token, link }: { token: string; link: SignInLink }) {
  const call = useCall();
  const search = useQueryString();
  const { user } = useViewer();
  const [before] = useState(user?.username);
  // Another tab waits for it: app/sign-in-again-dialog.tsx.
  const { isConfirming } = link;
  const signIn = useSignIn(
    form => call('signInByLink', { token, keepSignedIn: keepsSignedIn(form) }),
    isConfirming,
  );
  if (isConfirming && signIn.isSuccess) return <ConfirmedPage title={title} />;
  return (
    <Page title={title}>
      <Form
        sending={signIn}
        submit={isConfirming ? 'Confirm' : 'Log In'}
        submitting={isConfirming ? 'Confirming...' : 'Logging in...'}
        isBusy={signIn.isPending || signIn.isSuccess}
        isNative
        failure={failureOf(signIn, search, failures)}
      >
        {isConfirming ? (
          <p>
            You are logged in as <strong>{link.username}</strong> in this browser. This confirms that it is
            you.
          </p>
        ) : (
          <p>
            This logs you in as <strong>{link.username}</strong> in this browser.
          </p>
        )}
        {before !== undefined && !isConfirming && (
          <p className="notice">You are logged in as {before} now. Logging in ends that session.</p>
        )}
        {link.isFirstProof && (
          <p>
            Nobody has confirmed this address before, so somebody else may have entered it: a password that
            the account has stops working, and other devices are logged out. You can set a password on your
            account page afterwards.
          </p>
        )}
        {!isConfirming && <KeepSignedIn />}
      </Form>
    </Page>
  );
}

/** Sentences for the reason codes in the address. */
const failures: Record<string, string> = {
  refused: 'Please enter a valid email address.',
  over: 'This link is no longer valid. Please request a new one.',
  later: 'Please try again later.',
};
