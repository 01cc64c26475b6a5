import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { shortPostMaxCharacters } from '../../contract/constants.ts';
import { DateTime } from '../app/date.tsx';
import { operationQuery, useCall } from '../app/queries.tsx';
import { useViewer } from '../app/site.tsx';
import { Section } from '../ui/section.tsx';
import { OwnAddress } from './own-address.tsx';

const texts = {
  label: 'Your address for posts',
  make: 'Make email address',
  replace: 'Make new email address',
  replaces: 'Make a new address? Emails to the one you have no longer become posts.',
  end: 'Stop posts by email',
  ends: 'Stop posts by email? Emails to the address you have no longer become posts.',
};

/** The address at which an author posts by mail, if the site receives mail. */
export function PostAddress() {
  const { can } = useViewer();
  const call = useCall();
  const { address, isOffered } = useSuspenseQuery(operationQuery(call, 'getPostAddress', {})).data;
  const [chosen, choose] = useState(false);
  if (!can.write || !isOffered) return null;
  // An existing address keeps its mode: a choice beside it would look as if it were saved.
  const publishes = address?.publishes ?? chosen;
  return (
    <Section title="Posts by email">
      <p>
        Write a post in your email program: the subject becomes its title, the text may use Markdown, and its
        files are attached. Without a subject it becomes a short post of at most {shortPostMaxCharacters}{' '}
        characters.
      </p>
      <p>
        Only emails from the address of your account count. Keep the address for posts secret all the same. An
        email that answers or forwards another one, or also goes to somebody else, always becomes a draft.
      </p>
      {address !== null && (
        <p>
          Made on <DateTime moment={address.createdAt} />:{' '}
          {publishes ? 'emails are published at once, for everybody.' : 'emails become drafts.'} To change
          that, stop posts by email and make another address.
        </p>
      )}
      <OwnAddress
        query="getPostAddress"
        isMade={address !== null}
        make={async () => (await call('makePostAddress', { publishes })).email}
        end={() => call('endPostAddress', {})}
        texts={texts}
      >
        {address === null && (
          <fieldset className="field">
            <legend>What an email becomes</legend>
            <label className="choice">
              <input type="radio" name="publishes" checked={!chosen} onChange={() => choose(false)} />A draft
            </label>
            <label className="choice">
              <input type="radio" name="publishes" checked={chosen} onChange={() => choose(true)} />A post
              without tags, published at once for everybody
            </label>
          </fieldset>
        )}
      </OwnAddress>
    </Section>
  );
}
