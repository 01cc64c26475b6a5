import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, Redirect } from 'wouter';
import { AppError } from '../../contract/errors.ts';
import { nextPath } from '../../contract/next-path.ts';
import { useNavigate, useQueryString } from '../app/navigation.ts';
import { useCall } from '../app/operations.tsx';
import { RedirectTo } from '../app/redirect-to.ts';
import { routeAt, routes } from '../app/routes.ts';
import type { ScreenModule } from '../app/screen.ts';
import { usePageHeading, useSetViewer, useViewer } from '../app/site.tsx';
import { postQuery } from '../post/query.ts';
import { Field } from '../ui/field.tsx';
import { onForm } from '../ui/on-form.ts';
import { SubmitButton } from '../ui/submit-button.tsx';

const notShared = 'Not shared with you';

export const prepare: ScreenModule['prepare'] = async ({ call, search }) => {
  const { user } = await call('getViewer', {});
  if (user !== null && !search.has('next')) throw new RedirectTo(routes.timeline.href());
  return { title: user === null ? 'Log In' : notShared };
};

/** Log in (specification section 2, "/login"); a guard may have sent the reader here from a page they may not see. */
export default function LoginPage() {
  const { user } = useViewer();
  const search = useQueryString();
  // Who signs in here is on the way elsewhere, while this page stays until that one is loaded.
  const [wasSignedIn] = useState(user !== null);
  if (user === null || !wasSignedIn) return <LoginForm />;
  // Who is signed in already and was sent here cannot help it by signing in again (decisions.md 7).
  return search.has('next') ? (
    <NotShared isPending={user.pendingApproval} next={nextPath(search.get('next'))} />
  ) : (
    <Redirect to={routes.timeline.href()} replace />
  );
}

function LoginForm() {
  const heading = usePageHeading('Log In');
  const call = useCall();
  const setViewer = useSetViewer();
  const navigate = useNavigate();
  const search = useQueryString();
  const failed = search.get('failed');
  const login = useMutation({
    mutationFn: (form: FormData) =>
      call('signIn', { email: String(form.get('email')), password: String(form.get('password')) }),
    onSuccess: viewer => {
      setViewer(viewer);
      const next = nextPath(search.get('next'));
      navigate(next, { replace: true });
      // A part of a page that they wanted to see scrolls there by itself.
      if (!next.includes('#')) window.scrollTo({ top: 0, behavior: 'smooth' });
    },
  });
  const { user } = useViewer();
  // Another tab has signed in meanwhile.
  if (user !== null && !login.isPending && !login.isSuccess) {
    return <Redirect to={nextPath(search.get('next'))} replace />;
  }
  // Signed in, it stays busy until the page that comes next is there.
  const isBusy = login.isPending || login.isSuccess;
  return (
    <main id="main" tabIndex={-1} className="page">
      <header>
        <h1 ref={heading} tabIndex={-1}>
          Log In
        </h1>
      </header>
      {/* Without scripts, or before they run, the browser sends it itself: server/surfaces/login-form.ts. */}
      <form className="form narrow" method="post" onSubmit={onForm(login.mutate)}>
        {(login.isError || (login.isIdle && failed !== null)) && (
          <p className="notice bad" role="alert">
            {login.isError ? loginFailure(login.error) : failed === 'later' ? later : refusal}
          </p>
        )}
        <Field name="email" type="email" label="Email" autoComplete="username" required />
        <Field name="password" type="password" label="Password" autoComplete="current-password" required />
        <div className="acts">
          <SubmitButton isBusy={isBusy} isNative>
            {isBusy ? 'Logging in...' : 'Log In'}
          </SubmitButton>
        </div>
        <p>
          <Link to={routes.signup.href()}>Need an account? Sign Up</Link>
        </p>
        <p>
          <Link to={routes.forgotPassword.href()}>Forgot your password?</Link>
        </p>
      </form>
    </main>
  );
}

/** Specification section 8. */
const refusal = 'Failed to sign in. Please check your credentials.';
const later = 'Failed to sign in. Please try again later.';

function loginFailure(error: Error): string {
  const isRefused = error instanceof AppError && ['unauthenticated', 'invalid-argument'].includes(error.code);
  return isRefused ? refusal : `Failed to sign in. ${error.message}`;
}

/** Leads on as soon as the post is shared: an approval reaches this page, too, while it is open. */
function NotShared({ isPending, next }: { isPending: boolean; next: string }) {
  const match = routeAt(next.split(/[?#]/)[0] ?? '');
  const postId = (match?.name === 'post' && match.params.postId) || '';
  const query = useQuery({ ...postQuery(useCall(), postId), enabled: postId !== '', staleTime: 0 });
  const isOpen = postId === '' || (query.data !== undefined && 'post' in query.data);
  return isOpen ? <Redirect to={next} replace /> : <NotSharedText isPending={isPending} />;
}

function NotSharedText({ isPending }: { isPending: boolean }) {
  const heading = usePageHeading(notShared);
  return (
    <main id="main" tabIndex={-1} className="page">
      <header>
        <h1 ref={heading} tabIndex={-1}>
          {notShared}
        </h1>
      </header>
      <p>
        {isPending
          ? 'Your account still waits for approval by an admin.'
          : 'This post is not shared with your account.'}
      </p>
      <p>
        <Link to={routes.timeline.href()}>Go to the timeline</Link>
      </p>
    </main>
  );
}
