import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, Redirect } from 'wouter';
import { nextPath } from '../../contract/next-path.ts';
import { CodeField } from '../app/code-field.tsx';
import { Form, fieldText } from '../app/form.tsx';
import { useNavigate, useQueryString } from '../app/navigation.ts';
import { Page } from '../app/page.tsx';
import { useCall } from '../app/queries.tsx';
import { loginHref } from '../app/routes.ts';
import type { ScreenModule } from '../app/screen.ts';
import { useSetViewer, useViewer } from '../app/site.tsx';
import { sessionMutationKey } from '../app/viewer.ts';
import { ConfirmedPage } from './confirmed-notice.tsx';
import { failureOf } from './failures.ts';

const title = 'Enter your code';

export const prepare: ScreenModule['prepare'] = async () => ({ title });

/**
 * The page that asks for the code of a second factor, after any kind of sign-in. It is also shown to somebody
 * who is signed in, when they log in to another account or confirm their identity.
 */
export default function LoginCodePage() {
  const call = useCall();
  const setViewer = useSetViewer();
  const navigate = useNavigate();
  const search = useQueryString();
  const next = nextPath(search.get('next'));
  const [isGoing, setGoing] = useState(false);
  const { user } = useViewer();
  const [before] = useState(user);
  const login = useMutation({
    mutationKey: sessionMutationKey,
    mutationFn: (form: FormData) => call('signInWithCode', { code: fieldText(form, 'code') }),
    onSuccess: viewer => {
      setGoing(true);
      setViewer(viewer);
      if (viewer.user?.id !== before?.id) navigate(next, { replace: true });
    },
  });
  // Another tab has signed in meanwhile.
  if (user !== null && before === null && !login.isPending && !isGoing) {
    return <Redirect to={next} replace />;
  }
  if (login.isSuccess && login.data.user?.id === before?.id) {
    return <ConfirmedPage title={title} />;
  }
  return (
    <Page title={title}>
      <Form
        sending={login}
        submit="Log In"
        submitting="Logging in..."
        isBusy={login.isPending || isGoing}
        isNative
        failure={failureOf(login, search, failures)}
        after={
          before === null && (
            <p>
              <Link to={loginHref(next)}>Back to Log In</Link>
            </p>
          )
        }
      >
        <p>
          Your account asks for a second factor. Open your app, and enter the code that it makes for this
          site.
        </p>
        <CodeField hint="Lost your device? Enter one of your recovery codes." autoFocus />
      </Form>
    </Page>
  );
}

/** Sentences for the reason codes in the address. */
const failures: Record<string, string> = {
  refused: 'This code is not right, or was used. Please enter the next one.',
  over: 'This took too long. Please log in again.',
  later: 'Too many attempts. Please try again later.',
};
