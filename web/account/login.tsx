import { useMutation, useQuery } from '@tanstack/react-query';
import { use, useState } from 'react';
import { Link, Redirect } from 'wouter';
import { AppError, isCodeAsked } from '../../contract/errors.ts';
import { nextPath } from '../../contract/next-path.ts';
import type { Output } from '../../contract/operations.ts';
import { Form, fieldText } from '../app/form.tsx';
import { useNavigate, useQueryString } from '../app/navigation.ts';
import { Page } from '../app/page.tsx';
import { operationQuery, settingsQuery, useCall } from '../app/queries.tsx';
import { RedirectTo } from '../app/redirect-to.ts';
import { codeHref, routeAt, routes, signInLinkHref } from '../app/routes.ts';
import type { ScreenModule } from '../app/screen.ts';
import { useSettings, useSetViewer, useViewer } from '../app/site.tsx';
import { sessionMutationKey } from '../app/viewer.ts';
import { postQuery } from '../post/query.ts';
import { Field, FieldErrors, focusFirstWrong } from '../ui/field.tsx';
import { AskForPost } from './ask-for-post.tsx';
import { failedIn, openidFailures } from './failures.ts';
import { Invited, isInvitation } from './invited.tsx';
import { KeepSignedIn, keepsSignedIn } from './keep-signed-in.tsx';
import { forgetLoginEmail, LoginEmailField } from './login-email.tsx';
import { PasskeyLogin } from './passkey-login.tsx';
import { useHashOfNext } from './use-hash-of-next.ts';

const noPassword = 'Enter your password, or log in with a link.';
const notShared = 'Not shared with you';

export const prepare: ScreenModule['prepare'] = async ({ call, client, search }) => {
  const { user } = await call('getViewer', {});
  if (user !== null && !search.has('next')) throw new RedirectTo(routes.timeline.href());
  if (user !== null) {
    const postId = postAt(nextPath(search.get('next')));
    if (user.isApproved && postId !== '')
      await client.prefetchQuery(operationQuery(call, 'getOwnRequest', { postId }));
    return { title: notShared };
  }
  const { title } = await client.fetchQuery(settingsQuery(call));
  return { title: 'Log In', description: `Log in to ${title}.`, canonical: routes.login.href() };
};

/**
 * Log in (specification section 2, "/login"); a guard may have redirected the reader here from a page they
 * may not see.
 */
export default function LoginPage() {
  const { user } = useViewer();
  const search = useQueryString();
  useHashOfNext();
  // After a sign-in this page is still shown until the next one is loaded.
  const [wasSignedIn] = useState(user !== null);
  if (user === null || !wasSignedIn) return <LoginForm />;
  // Signing in again would not help a reader who is signed in already and was redirected here
  // (decision 7).
  return search.has('next') ? (
    <NotShared
      isPending={user.pendingApproval}
      canAsk={user.isApproved}
      next={nextPath(search.get('next'))}
    />
  ) : (
    <Redirect to={routes.timeline.href()} replace />
  );
}

/**
 * Logging in with a password. `goOn` takes a reader who has logged in, in any way, to where they wanted to
 * go.
 */
function useLogin() {
  const call = useCall();
  const setViewer = useSetViewer();
  const navigate = useNavigate();
  const search = useQueryString();
  const [isGoing, setGoing] = useState(false);
  const goOn = (viewer: Output<'getViewer'>) => {
    setGoing(true);
    forgetLoginEmail();
    setViewer(viewer);
    const next = nextPath(search.get('next'));
    navigate(next, { replace: true });
    // If the address has a hash, the page itself scrolls to it.
    if (!next.includes('#')) window.scrollTo({ top: 0, behavior: 'smooth' });
  };
  const login = useMutation({
    mutationKey: sessionMutationKey,
    mutationFn: (form: FormData) =>
      call('signIn', {
        email: fieldText(form, 'email'),
        password: fieldText(form, 'password'),
        keepSignedIn: keepsSignedIn(form),
      }),
    onSuccess: goOn,
    onError: error => {
      if (!isCodeAsked(error)) return;
      setGoing(true);
      forgetLoginEmail();
      navigate(codeHref(nextPath(search.get('next'))));
    },
  });
  return { login, isGoing, goOn };
}

function LoginForm() {
  const search = useQueryString();
  const [isKept, setKept] = useState(true);
  const { login, isGoing, goOn } = useLogin();
  const { openidName, sendsMail, signUp } = useSettings();
  const { user } = useViewer();
  // Another tab has signed in meanwhile.
  if (user !== null && !login.isPending && !isGoing) {
    return <Redirect to={nextPath(search.get('next'))} replace />;
  }
  // After a sign-in, the form stays busy until the next page is loaded.
  const isBusy = login.isPending || isGoing;
  const next = search.get('next');
  const query = queryOf(next === null ? {} : { next });
  const isInvited = isInvitation(nextPath(next));
  const failure = login.isIdle ? nativeFailure(search, openidName) : loginFailure(login.error);
  return (
    <Page title="Log In">
      {isInvited && <Invited />}
      {postAt(nextPath(next)) !== '' && <p>The post opens once you have logged in.</p>}
      <Form
        sending={login}
        submit="Log In"
        submitting="Logging in..."
        isBusy={isBusy}
        isNative
        failure={failure}
        after={
          <>
            <PasskeyLogin keepSignedIn={isKept} onSignedIn={goOn} />
            <Provider next={next} isKept={isKept} />
            {isInvited && (
              <p>
                <Link to={nextPath(next)}>Need an account? Join by the invitation</Link>
              </p>
            )}
            {signUp === 'everybody' && !isInvited && (
              <p>
                <Link to={routes.signup.href(query)}>Need an account? Sign Up</Link>
              </p>
            )}
          </>
        }
      >
        <LoginEmailField autoComplete="username webauthn" />
        <PasswordField />
        {sendsMail && (
          <p className="hint">
            No password?{' '}
            <Link className="within" to={signInLinkHref(nextPath(next))}>
              Let us email you a link
            </Link>{' '}
            that logs you in.
          </p>
        )}
        <p className="hint">
          <Link to={routes.forgotPassword.href(query)}>Forgot your password?</Link>
        </p>
        <KeepSignedIn onChange={setKept} />
      </Form>
    </Page>
  );
}

/**
 * The password. Where it is empty, the browser's bubble would cover the way to log in without one, so the
 * page says it itself.
 */
function PasswordField() {
  const { sendsMail } = useSettings();
  const errors = use(FieldErrors);
  const [isMissing, setMissing] = useState(false);
  return (
    <FieldErrors value={isMissing ? { ...errors, password: noPassword } : errors}>
      <Field
        name="password"
        type="password"
        label="Password"
        autoComplete="current-password"
        required
        onInvalid={event => {
          if (!sendsMail) return;
          event.preventDefault();
          setMissing(true);
          focusFirstWrong(event.currentTarget);
        }}
        onChange={() => setMissing(false)}
      />
    </FieldErrors>
  );
}

/**
 * The sign-in of a provider, which is a link that works without scripts and is answered with a redirect.
 * Without scripts, there is a link for each choice of whether to stay logged in.
 */
function Provider({ next, isKept }: { next: string | null; isKept: boolean }) {
  const { openidName } = useSettings();
  if (openidName === null) return null;
  const query = queryOf({ ...(next !== null && { next }) });
  const short = queryOf({ ...(next !== null && { next }), keep: 'no' });
  return (
    <p>
      <a className="button" href={`/login/openid${isKept ? query : short}`} rel="nofollow">
        Continue with {openidName}
      </a>
      <noscript>
        {' '}
        <a href={`/login/openid${short}`} rel="nofollow">
          without staying logged in
        </a>
      </noscript>
    </p>
  );
}

function queryOf(query: Record<string, string>): string {
  const search = new URLSearchParams(query);
  return search.size === 0 ? '' : `?${search}`;
}

/** Specification section 8. */
const refusal = 'Failed to sign in. Please check your credentials.';

function loginFailure(error: Error | null): string | null {
  if (error === null || isCodeAsked(error)) return null;
  // An invalid field counts as wrong credentials; a request refused for another reason does not.
  const isRefused =
    error instanceof AppError &&
    (error.code === 'unauthenticated' || (error.code === 'invalid-argument' && error.details?.fields));
  return isRefused ? refusal : `Failed to sign in. ${error.message}`;
}

/** The server's error for a form that the browser sent without scripts. */
function nativeFailure(search: URLSearchParams, provider: string | null): string | null {
  const sentences = {
    ...openidFailures(provider),
    refused: refusal,
    later: 'Failed to sign in. Please try again later.',
  };
  return failedIn(search, sentences) ?? null;
}

/** The id of the post that an address leads to; empty for any other page. */
function postAt(address: string): string {
  const match = routeAt(address.split(/[?#]/)[0] ?? '');
  return (match?.name === 'post' && match.params.postId) || '';
}

type NotSharedProps = { isPending: boolean; canAsk: boolean; next: string };

/** Goes to the post as soon as it is shared with the reader, which an open page learns from the stream. */
function NotShared({ isPending, canAsk, next }: NotSharedProps) {
  const postId = postAt(next);
  const query = useQuery({ ...postQuery(useCall(), postId), enabled: postId !== '', staleTime: 0 });
  const isOpen = postId === '' || (query.data !== undefined && 'post' in query.data);
  if (isOpen) return <Redirect to={next} replace />;
  return (
    <Page title={notShared}>
      <p>
        {isPending
          ? 'Your account is still waiting for approval by an admin.'
          : 'This post is not shared with your account.'}
      </p>
      <p>
        <Link to={routes.timeline.href()}>Go to the timeline</Link>
      </p>
      {canAsk && <AskForPost postId={postId} />}
    </Page>
  );
}
