import { useEffect, useEffectEvent } from 'react';
import { hydrated } from './hydrated.tsx';
import { followViewer } from './live.ts';
import { useOperations } from './queries.tsx';
import { askViewer, sessionSettled, storeViewer, type Viewer } from './viewer.ts';

/** Updates an open page as soon as an admin has approved or denied its reader or changed their tags. */
export default function LiveViewer() {
  const { call, client } = useOperations();
  const onViewer = useEffectEvent(async (viewer: Viewer) => {
    await hydrated;
    if (viewer.user === null) void onSessionEnd(viewer);
    else storeViewer(client, viewer);
  });
  // The session of the stream has ended. But this page may just be logging out, or it has changed the
  // password and got a new session. So it waits until that is finished, and then asks the server.
  const onSessionEnd = useEffectEvent(async (visitor: Viewer) => {
    await sessionSettled(client);
    // If the server cannot be reached, the stream's event is believed.
    await askViewer(client, call).catch(() => storeViewer(client, visitor));
  });
  // Its session may have ended while there was no connection.
  const onRefused = useEffectEvent(async () => {
    await sessionSettled(client);
    await askViewer(client, call).catch(() => {});
  });
  useEffect(() => followViewer({ onViewer: viewer => onViewer(viewer), onRefused: () => onRefused() }), []);
  return null;
}
