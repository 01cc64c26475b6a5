import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate } from 'react-router';
import { useCall } from '../app/operations.tsx';
import { usePageHeading, useSignedIn } from '../app/site.tsx';
import type { ScreenModule } from '../screens.ts';
import { onForm } from '../ui/on-form.ts';
import { AccountFields, fieldErrors, readAccount } from './account-fields.tsx';
import { Honeypot, useSignUpProof } from './sign-up-proof.tsx';

export const prepare: ScreenModule['prepare'] = async () => ({ title: 'Sign Up' });

/** Sign up (specification section 2, "/signup"): the account then waits for approval. */
export default function SignupPage() {
  const heading = usePageHeading('Sign Up');
  const call = useCall();
  const proof = useSignUpProof();
  const signedIn = useSignedIn();
  const navigate = useNavigate();
  const signup = useMutation({
    mutationFn: async (form: FormData) => call('signUp', { ...readAccount(form), ...(await proof(form)) }),
    onSuccess: viewer => {
      signedIn(viewer);
      navigate('/', { replace: true });
      window.scrollTo({ top: 0, behavior: 'smooth' });
    },
  });
  return (
    <main id="main" tabIndex={-1} className="page">
      <header>
        <h1 ref={heading} tabIndex={-1}>
          Sign Up
        </h1>
      </header>
      <form className="form narrow" onSubmit={onForm(signup.mutate)}>
        {signup.isError && (
          <p className="notice bad" role="alert">
            {`Failed to create an account. ${signup.error.message}`}
          </p>
        )}
        <AccountFields errors={fieldErrors(signup.error)} />
        <Honeypot />
        <div className="acts">
          <button
            type="submit"
            className="button primary"
            disabled={signup.isPending}
            aria-busy={signup.isPending}
          >
            {signup.isPending ? 'Signing up...' : 'Sign Up'}
          </button>
        </div>
        <p>
          <Link to="/login">Already have an account? Log In</Link>
        </p>
      </form>
    </main>
  );
}
