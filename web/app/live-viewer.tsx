import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import type { Output } from '../../contract/operations.ts';
import { followViewer } from './live.ts';
import { useCall } from './operations.tsx';
import { isOfSite, useSignedIn, useViewer } from './site.tsx';

type Viewer = Output<'getViewer'>;

/** Takes in at once, on a page that is open, that an admin has approved or denied its reader or changed their tags. */
export default function LiveViewer() {
  const client = useQueryClient();
  const call = useCall();
  const signedIn = useSignedIn();

  const hear = useEffectEvent((viewer: Viewer, isFirst: boolean) => {
    if (viewer.user === null) {
      void hearOfTheEnd();
      return;
    }
    const before = client.getQueryData(['getViewer', {}]);
    client.setQueryData(['getViewer', {}], viewer);
    if (client.getQueryData(['getViewer', {}]) === before && !isFirst) askAgain(client, false);
  });

  // Only once the page knows: by then a screen that its reader may no longer see has gone, and asks for nothing.
  const viewer = useViewer();
  const known = useRef(viewer);
  useEffect(() => {
    const before = known.current;
    known.current = viewer;
    if (before === viewer || before.user?.id !== viewer.user?.id) return;
    askAgain(client, isLess(before, viewer));
  }, [client, viewer]);

  // The session of the stream has ended; but this page itself may just be logging out, or have changed its password and
  // been given another session. So what it is doing is let finish, and the server asked.
  const hearOfTheEnd = useEffectEvent(async () => {
    await untilIdle(client);
    // Who cannot be reached says nothing; the stream opens again and tells.
    const viewer = await call('getViewer', {}).catch(() => undefined);
    if (viewer === undefined) return;
    const before = client.getQueryData<Viewer>(['getViewer', {}]);
    if (viewer.user !== null) client.setQueryData(['getViewer', {}], viewer);
    else if (before?.user !== null) signedIn(viewer);
  });

  useEffect(() => followViewer((viewer, isFirst) => hear(viewer, isFirst)), []);
  return null;
}

/** Resolves when nothing that the reader did is under way. */
async function untilIdle(client: QueryClient): Promise<void> {
  if (client.isMutating() === 0) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const unsubscribe = client.getMutationCache().subscribe(() => {
    if (client.isMutating() === 0) resolve();
  });
  await promise;
  unsubscribe();
}

/** Whether a right has gone. */
function isLess(before: Viewer, after: Viewer): boolean {
  return (Object.keys(before.can) as (keyof Viewer['can'])[]).some(
    right => before.can[right] && !after.can[right],
  );
}

/** Everything on the page depends on who reads it. What may no longer be seen is forgotten before it is asked again. */
function askAgain(client: QueryClient, isLess: boolean): void {
  const filter = {
    predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => !isOfSite(queryKey),
  };
  if (isLess) {
    client.removeQueries({ queryKey: ['listComments'] });
    client.removeQueries({ ...filter, type: 'inactive' });
    void client.resetQueries(filter);
    return;
  }
  // Once the page knows the reader: a part that is theirs no more is gone by then, and asks nothing.
  setTimeout(() => void client.invalidateQueries(filter));
}
