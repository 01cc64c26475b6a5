import { useQuery } from '@tanstack/react-query';
import { DateTime } from '../app/date.tsx';
import { operationQuery, useCall } from '../app/queries.tsx';
import { OwnAddress } from './own-address.tsx';

const texts = {
  label: 'Your feed address',
  make: 'Make feed address',
  replace: 'Make new feed address',
  replaces: 'Make a new address? Programs that use the one you have stop getting posts.',
  end: 'Stop the feed',
  ends: 'Stop the feed? Programs that use its address stop getting posts.',
};

/** The address of a feed for feed readers, with everything that the reader may read. */
export function PersonalFeed() {
  const call = useCall();
  const { feed = null, hasSound = false } = useQuery(operationQuery(call, 'getPersonalFeed', {})).data ?? {};
  return (
    <>
      <p>
        Read all posts that you may read in a feed reader. Whoever knows the address can read them as well:
        keep it to yourself. Pictures of posts that are not open to everybody show only where you are logged
        in.
      </p>
      {hasSound && (
        <p>
          Podcast programs play what can be heard: their address is the same, with <code>podcast.xml</code> in
          place of <code>feed.xml</code>.
        </p>
      )}
      {feed !== null && (
        <p>
          Made on <DateTime moment={feed.createdAt} />,{' '}
          {feed.lastUsedAt === null ? (
            'not used yet'
          ) : (
            <>
              last used on <DateTime moment={feed.lastUsedAt} withTime />
            </>
          )}
          .
        </p>
      )}
      <OwnAddress
        query="getPersonalFeed"
        isMade={feed !== null}
        make={async () => (await call('makePersonalFeed', {})).url}
        end={() => call('endPersonalFeed', {})}
        texts={texts}
      />
    </>
  );
}
