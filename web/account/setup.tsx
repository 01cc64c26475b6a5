import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useNavigate, useQueryString } from '../app/navigation.ts';
import { operationQuery, useCall } from '../app/operations.tsx';
import { routes } from '../app/routes.ts';
import type { ScreenModule } from '../app/screen.ts';
import { usePageHeading, useSetViewer } from '../app/site.tsx';
import { onForm } from '../ui/on-form.ts';
import { SubmitButton } from '../ui/submit-button.tsx';
import { AccountFields, fieldErrors, readAccount } from './account-fields.tsx';
import { NeedsScripts } from './needs-scripts.tsx';

const title = 'Set up your site';

export const prepare: ScreenModule['prepare'] = async ({ call, client, search }) => {
  const token = tokenIn(search);
  if (token === null) return { title };
  const { isValid } = await client.fetchQuery(operationQuery(call, 'getSetup', { token }));
  return isValid ? { title } : { title, status: 403 };
};

/** No token is longer: of one that is, the start is as wrong. */
function tokenIn(search: URLSearchParams): string | null {
  return search.get('token')?.slice(0, 200) ?? null;
}

/** Where the one-time setup link leads: who sends its form becomes the first admin (decisions.md 25). */
export default function SetupPage() {
  const heading = usePageHeading(title);
  const search = useQueryString();
  const token = tokenIn(search);
  return (
    <main id="main" tabIndex={-1} className="page">
      <header>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
      </header>
      {token === null ? (
        <Refused>
          This page opens by the link that the server prints when it starts, for as long as the site has no
          admin.
        </Refused>
      ) : (
        <SetupByLink token={token} />
      )}
    </main>
  );
}

function SetupByLink({ token }: { token: string }) {
  const { isDone, isValid } = useSuspenseQuery(operationQuery(useCall(), 'getSetup', { token })).data;
  if (isDone) return <Refused>This site is set up already.</Refused>;
  return isValid ? (
    <SetupForm token={token} />
  ) : (
    <Refused>
      This setup link is not valid any more. Each start of the server prints a new one, which ends those
      before it.
    </Refused>
  );
}

function Refused({ children }: { children: ReactNode }) {
  return (
    <>
      <p className="notice bad">{children}</p>
      <p>
        <Link to={routes.login.href()}>Log In</Link>
      </p>
    </>
  );
}

function SetupForm({ token }: { token: string }) {
  const call = useCall();
  const setViewer = useSetViewer();
  const navigate = useNavigate();
  const setup = useMutation({
    mutationFn: (form: FormData) => call('setUpSite', { token, account: readAccount(form) }),
    onSuccess: viewer => {
      setViewer(viewer);
      navigate(routes.timeline.href(), { replace: true });
    },
  });
  return (
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
      <NeedsScripts />
    </form>
  );
}
