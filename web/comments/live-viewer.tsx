import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Output } from '../../contract/operations.ts';
import { followViewer } from './live.ts';

type Viewer = Output<'getViewer'>;

/** Takes in at once, on a page that is open, that an admin has approved or denied its reader or changed their tags. */
export default function LiveViewer() {
  const client = useQueryClient();
  useEffect(
    () =>
      followViewer((viewer, isFirst) => {
        const before = client.getQueryData<Viewer>(['getViewer', {}]);
        const isChanged = JSON.stringify(viewer) !== JSON.stringify(before);
        client.setQueryData(['getViewer', {}], viewer);
        if (isChanged || !isFirst) askAgain(client, isChanged && !viewer.can.comment);
      }),
    [client],
  );
  return null;
}

/** Everything on the page depends on who reads it. What may no longer be seen is forgotten before it is asked again. */
function askAgain(client: QueryClient, isLess: boolean): void {
  const filter = {
    predicate: (query: { queryKey: readonly unknown[] }) =>
      !['getViewer', 'getSettings'].includes(String(query.queryKey[0])),
  };
  if (isLess) client.removeQueries({ queryKey: ['listComments'] });
  void (isLess ? client.resetQueries(filter) : client.invalidateQueries(filter));
}
