import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { Form } from '../app/form.tsx';
import { useQueryString } from '../app/navigation.ts';
import { useCall, useOperations } from '../app/queries.tsx';
import { useSettings } from '../app/site.tsx';
import { Notice } from '../ui/notice.tsx';
import { Section } from '../ui/section.tsx';
import { failedIn, openidFailures } from './failures.ts';

type Connection = { isConnected: boolean; hasPassword: boolean };

/** Connects the reader's account with one at the site's OpenID provider; nothing if the site has none. */
export function OpenidSection({ isConnected, hasPassword }: Connection) {
  const { openidName } = useSettings();
  const title = useRef<HTMLHeadingElement>(null);
  if (openidName === null) return null;
  return (
    <Section title={openidName} heading={title}>
      <Outcome name={openidName} isConnected={isConnected} />
      {isConnected ? (
        <Disconnect name={openidName} hasPassword={hasPassword} onDone={() => title.current?.focus()} />
      ) : (
        <Connect name={openidName} />
      )}
    </Section>
  );
}

/** The outcome of a visit to the provider. */
function Outcome({ name, isConnected }: { name: string; isConnected: boolean }) {
  const search = useQueryString();
  const failure = failedIn(search, {
    ...openidFailures(name),
    'openid-taken': `Your account at ${name} is connected with another account of this site.`,
    // Nobody signs up here, so the address is not at fault.
    'openid-address': `Your account is connected with another one at ${name} already. Disconnect that first.`,
    later: 'Too many attempts. Please try again later.',
  });
  if (failure !== undefined) return <Notice text={failure} />;
  return search.get('done') === 'connected' && isConnected ? (
    <p className="notice good" role="status">
      Connected.
    </p>
  ) : null;
}

function Connect({ name }: { name: string }) {
  const call = useCall();
  const connect = useMutation<unknown, Error, FormData>({
    mutationFn: async () => {
      const { url } = await call('connectOpenid', {});
      location.assign(url);
    },
  });
  return (
    <Form sending={connect} submit={`Connect ${name}`} buttonClass="button">
      <p>Connect your account with the one that you have at {name}, to log in with it.</p>
    </Form>
  );
}

type DisconnectProps = { name: string; hasPassword: boolean; onDone(): void };

function Disconnect({ name, hasPassword, onDone }: DisconnectProps) {
  const { call, client } = useOperations();
  const disconnect = useMutation<unknown, Error, FormData>({
    mutationFn: () => call('disconnectOpenid', {}),
    onSuccess: async () => {
      // The focused button is removed.
      onDone();
      await client.invalidateQueries({ queryKey: ['getAccount'] });
    },
  });
  if (!hasPassword) {
    return (
      <p>
        You log in with {name}. To disconnect it, set a password first: without one you could not log in any
        more.
      </p>
    );
  }
  return (
    <Form sending={disconnect} submit={`Disconnect ${name}`} buttonClass="button">
      <p>You can log in with {name}.</p>
    </Form>
  );
}
