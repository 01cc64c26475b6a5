import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, matchPath, Navigate, useNavigate, useSearchParams } from 'react-router';
import { AppError } from '../../contract/errors.ts';
import { useCall } from '../app/operations.tsx';
import { usePageHeading, useSignedIn, useViewer } from '../app/site.tsx';
import { postQuery } from '../post/query.ts';
import type { ScreenModule } from '../screens.ts';
import { Field } from '../ui/field.tsx';
import { onForm } from '../ui/on-form.ts';
import { nextPath } from './next-path.ts';

export const prepare: ScreenModule['prepare'] = async () => ({ title: 'Log In' });

/** Log in (specification section 2, "/login"); a guard may have sent the reader here from a page they may not see. */
export default function LoginPage() {
  const { user } = useViewer();
  const [search] = useSearchParams();
  // Who is signed in already and was sent here cannot help it by signing in again (decisions.md 7).
  return user !== null && search.has('next') ? (
    <NotShared isPending={user.pendingApproval} next={nextPath(search.get('next'))} />
  ) : (
    <LoginForm />
  );
}

function LoginForm() {
  const heading = usePageHeading('Log In');
  const call = useCall();
  const signedIn = useSignedIn();
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const login = useMutation({
    mutationFn: (form: FormData) =>
      call('signIn', { email: String(form.get('email')), password: String(form.get('password')) }),
    onSuccess: viewer => {
      signedIn(viewer);
      const next = nextPath(search.get('next'));
      navigate(next, { replace: true });
      // A part of a page that they wanted to see scrolls there by itself.
      if (!next.includes('#')) window.scrollTo({ top: 0, behavior: 'smooth' });
    },
  });
  return (
    <main id="main" tabIndex={-1} className="page">
      <header>
        <h1 ref={heading} tabIndex={-1}>
          Log In
        </h1>
      </header>
      <form className="form narrow" onSubmit={onForm(login.mutate)}>
        {login.isError && (
          <p className="notice bad" role="alert">
            {loginFailure(login.error)}
          </p>
        )}
        <Field name="email" type="email" label="Email" autoComplete="username" required />
        <Field name="password" type="password" label="Password" autoComplete="current-password" required />
        <div className="acts">
          <button
            type="submit"
            className="button primary"
            disabled={login.isPending}
            aria-busy={login.isPending}
          >
            {login.isPending ? 'Logging in...' : 'Log In'}
          </button>
        </div>
        <p>
          <Link to="/signup">Need an account? Sign Up</Link>
        </p>
        <p>
          <Link to="/forgot-password">Forgot your password?</Link>
        </p>
      </form>
    </main>
  );
}

function loginFailure(error: Error): string {
  const isRefused = error instanceof AppError && ['unauthenticated', 'invalid-argument'].includes(error.code);
  return isRefused
    ? 'Failed to sign in. Please check your credentials.'
    : `Failed to sign in. ${error.message}`;
}

/** Leads on as soon as the post is shared: an approval reaches this page, too, while it is open. */
function NotShared({ isPending, next }: { isPending: boolean; next: string }) {
  const postId = matchPath('/post/:postId', next.split(/[?#]/)[0] ?? '')?.params.postId ?? '';
  const query = useQuery({ ...postQuery(useCall(), postId), enabled: postId !== '', staleTime: 0 });
  const isOpen = postId === '' || (query.data !== undefined && 'post' in query.data);
  return isOpen ? <Navigate to={next} replace /> : <NotSharedText isPending={isPending} />;
}

function NotSharedText({ isPending }: { isPending: boolean }) {
  const heading = usePageHeading('Not shared with you');
  return (
    <main id="main" tabIndex={-1} className="page">
      <header>
        <h1 ref={heading} tabIndex={-1}>
          Not shared with you
        </h1>
      </header>
      <p>
        {isPending
          ? 'Your account still waits for approval by an admin.'
          : 'This post is not shared with your account.'}
      </p>
      <p>
        <Link to="/">Go to the timeline</Link>
      </p>
    </main>
  );
}
