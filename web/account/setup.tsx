import { useMutation } from '@tanstack/react-query';
import { useNavigate, useSearchParams } from 'react-router';
import { useCall } from '../app/operations.tsx';
import { usePageHeading, useSignedIn } from '../app/site.tsx';
import type { ScreenModule } from '../screens.ts';
import { onForm } from '../ui/on-form.ts';
import { SubmitButton } from '../ui/submit-button.tsx';
import { AccountFields, fieldErrors, readAccount } from './account-fields.tsx';

export const prepare: ScreenModule['prepare'] = async () => ({ title: 'Set up your site' });

/** Where the one-time setup link leads: who opens it becomes the first admin (decisions.md 25). */
export default function SetupPage() {
  const heading = usePageHeading('Set up your site');
  const call = useCall();
  const signedIn = useSignedIn();
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const setup = useMutation({
    mutationFn: (form: FormData) =>
      call('setUpSite', { token: search.get('token') ?? '', account: readAccount(form) }),
    onSuccess: viewer => {
      signedIn(viewer);
      navigate('/', { replace: true });
    },
  });
  return (
    <main id="main" tabIndex={-1} className="page">
      <header>
        <h1 ref={heading} tabIndex={-1}>
          Set up your site
        </h1>
      </header>
      <form className="form narrow" onSubmit={onForm(setup.mutate)}>
        <p>This makes the account that administers the site: yours.</p>
        {setup.isError && (
          <p className="notice bad" role="alert">
            {`Failed to create an account. ${setup.error.message}`}
          </p>
        )}
        <AccountFields errors={fieldErrors(setup.error)} />
        <div className="acts">
          <SubmitButton isBusy={setup.isPending}>
            {setup.isPending ? 'Creating the account...' : 'Create the account'}
          </SubmitButton>
        </div>
      </form>
    </main>
  );
}
