import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DateTime } from '../app/date.tsx';
import { operationQuery, useCall } from '../app/operations.tsx';
import { useViewer } from '../app/site.tsx';
import { BusyButton } from '../ui/busy-button.tsx';
import { useDialogs } from '../ui/dialogs.tsx';
import { Notice } from '../ui/notice.tsx';
import { Section } from '../ui/section.tsx';
import { MadeAddress } from './made-address.tsx';

/** The address at which an author posts by mail, where the site takes mail. */
export function PostAddress() {
  const { can } = useViewer();
  const call = useCall();
  const { isOffered } = useSuspenseQuery(operationQuery(call, 'getPostAddress', {})).data;
  if (!can.write || !isOffered) return null;
  return (
    <Section title="Posts by email">
      <Address />
    </Section>
  );
}

function Address() {
  const call = useCall();
  const client = useQueryClient();
  const dialogs = useDialogs();
  const { address } = useSuspenseQuery(operationQuery(call, 'getPostAddress', {})).data;
  const [publishes, setPublishes] = useState(address?.publishes ?? false);
  const take = (made: typeof address) =>
    client.setQueryData(['getPostAddress', {}], { address: made, isOffered: true });
  const make = useMutation({
    mutationFn: () => call('makePostAddress', { publishes }),
    onSuccess: made => take(made.address),
  });
  const end = useMutation({
    mutationFn: () => call('endPostAddress', {}),
    onSuccess: () => {
      make.reset();
      take(null);
    },
  });
  const replace = async () => {
    const text = 'Make a new address? Emails to the one you have no longer become posts.';
    if (address === null || (await dialogs.confirm(text, { action: 'Make new address' }))) make.mutate();
  };
  const failure = make.error ?? end.error;
  return (
    <>
      <p>
        Write a post in your email program: the subject becomes its title, and its files are attached. Only
        emails from the address of your account count. Keep the address for posts secret all the same. An
        email that answers or forwards another one, or also goes to somebody else, always becomes a draft.
      </p>
      {address !== null && (
        <p>
          Made on <DateTime moment={address.createdAt} />:{' '}
          {address.publishes ? 'emails are published at once.' : 'emails become drafts.'}
        </p>
      )}
      {failure !== null && <Notice text={failure.message} />}
      {make.data !== undefined && <MadeAddress of="your posts" address={make.data.email} />}
      <div className="form">
        <fieldset className="field">
          <legend>What an email becomes</legend>
          <label className="choice">
            <input type="radio" name="publishes" checked={!publishes} onChange={() => setPublishes(false)} />A
            draft
          </label>
          <label className="choice">
            <input type="radio" name="publishes" checked={publishes} onChange={() => setPublishes(true)} />A
            post without tags, published at once for everybody
          </label>
        </fieldset>
        <div className="acts">
          <BusyButton isBusy={make.isPending} onClick={replace}>
            {address === null ? 'Make email address' : 'Make new email address'}
          </BusyButton>
          {address !== null && (
            <BusyButton className="quiet danger" isBusy={end.isPending} onClick={() => end.mutate()}>
              Stop posts by email
            </BusyButton>
          )}
        </div>
      </div>
    </>
  );
}
