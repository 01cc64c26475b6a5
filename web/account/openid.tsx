import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Form, fieldText } from '../app/form.tsx';
import { useQueryString } from '../app/navigation.ts';
import { useCall } from '../app/operations.tsx';
import { useSettings } from '../app/site.tsx';
import { Notice } from '../ui/notice.tsx';
import { CurrentPasswordField } from './account-fields.tsx';
import { openidFailure } from './openid-failure.ts';

type Connection = { isConnected: boolean; hasPassword: boolean };

/** The connection of one's account with one at the site's OpenID provider; nothing where the site has none. */
export function OpenidSection({ isConnected, hasPassword }: Connection) {
  const { openidName } = useSettings();
  if (openidName === null) return null;
  return (
    <section className="section" aria-labelledby="openid-title">
      <h2 id="openid-title">{openidName}</h2>
      <Outcome name={openidName} isConnected={isConnected} />
      {isConnected ? (
        <Disconnect name={openidName} hasPassword={hasPassword} />
      ) : (
        <Connect name={openidName} hasPassword={hasPassword} />
      )}
    </section>
  );
}

/** How the way over the provider ended, from which the browser has come back. */
function Outcome({ name, isConnected }: { name: string; isConnected: boolean }) {
  const search = useQueryString();
  const reason = search.get('failed');
  if (reason === 'openid-taken') {
    return <Notice text={`Your account at ${name} is connected with another account of this site.`} />;
  }
  const failure = reason === null ? undefined : openidFailure(reason, name);
  if (failure !== undefined) return <Notice text={failure} />;
  return search.get('done') === 'connected' && isConnected ? (
    <p className="notice good" role="status">
      Connected.
    </p>
  ) : null;
}

function Connect({ name, hasPassword }: { name: string; hasPassword: boolean }) {
  const call = useCall();
  const connect = useMutation({
    mutationFn: async (form: FormData) => {
      const currentPassword = hasPassword ? fieldText(form, 'currentPassword') : undefined;
      const { url } = await call('connectOpenid', { currentPassword });
      location.assign(url);
    },
  });
  return (
    <Form sending={connect} submit={`Connect ${name}`} buttonClass="button">
      <p>Connect your account with the one that you have at {name}, to log in with it.</p>
      {hasPassword && <CurrentPasswordField />}
    </Form>
  );
}

function Disconnect({ name, hasPassword }: { name: string; hasPassword: boolean }) {
  const call = useCall();
  const client = useQueryClient();
  const disconnect = useMutation<unknown, Error, FormData>({
    mutationFn: () => call('disconnectOpenid', {}),
    onSuccess: () => client.invalidateQueries({ queryKey: ['getAccount'] }),
  });
  if (!hasPassword) {
    return (
      <p>
        You log in with {name}. Your account has no password; to set one, choose ‘Forgot your password?’ on
        the login page.
      </p>
    );
  }
  return (
    <Form sending={disconnect} submit={`Disconnect ${name}`} buttonClass="button">
      <p>You can log in with {name}.</p>
    </Form>
  );
}
