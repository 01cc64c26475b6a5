import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { DateTime } from '../app/date.tsx';
import { operationQuery, useCall } from '../app/operations.tsx';
import { BusyButton } from '../ui/busy-button.tsx';
import { useDialogs } from '../ui/dialogs.tsx';
import { Notice } from '../ui/notice.tsx';
import { MadeAddress } from './made-address.tsx';

/** The address of a feed with all that the reader may read, for programs that read feeds. */
export function PersonalFeed() {
  const call = useCall();
  const client = useQueryClient();
  const dialogs = useDialogs();
  const { data } = useQuery(operationQuery(call, 'getPersonalFeed', {}));
  const take = (feed: NonNullable<typeof data>['feed']) =>
    client.setQueryData(['getPersonalFeed', {}], { feed });
  const make = useMutation({
    mutationFn: () => call('makePersonalFeed', {}),
    onSuccess: ({ feed }) => take(feed),
  });
  const end = useMutation({
    mutationFn: () => call('endPersonalFeed', {}),
    onSuccess: () => {
      make.reset();
      take(null);
    },
  });
  const feed = data?.feed ?? null;
  const replace = async () => {
    const text = 'Make a new address? Programs that use the one you have stop getting posts.';
    if (feed === null || (await dialogs.confirm(text, { action: 'Make new address' }))) make.mutate();
  };
  const stop = async () => {
    const text = 'Stop the feed? Programs that use its address stop getting posts.';
    if (await dialogs.confirm(text, { action: 'Stop the feed', isDangerous: true })) end.mutate();
  };
  const failure = make.error ?? end.error;
  return (
    <>
      <p>
        Read all posts that you may read in a feed reader. Whoever knows the address can read them as well:
        keep it to yourself. Pictures of posts that are not open to everybody show only where you are logged
        in.
      </p>
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
      {failure !== null && <Notice text={failure.message} />}
      {make.data !== undefined && <MadeAddress of="your feed" address={make.data.url} />}
      <div className="acts">
        <BusyButton isBusy={make.isPending} onClick={replace}>
          {feed === null ? 'Make feed address' : 'Make new address'}
        </BusyButton>
        {feed !== null && (
          <BusyButton className="quiet danger" isBusy={end.isPending} onClick={stop}>
            Stop the feed
          </BusyButton>
        )}
      </div>
    </>
  );
}
