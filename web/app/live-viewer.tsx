import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { hydrated } from './hydrated.tsx';
import { followViewer } from './live.ts';
import { useCall } from './operations.tsx';
import { askViewer, sessionSettled, takeViewer, type Viewer } from './viewer.ts';

/** Takes in at once, on a page that is open, that an admin has approved or denied its reader or changed their tags. */
export default function LiveViewer() {
  const client = useQueryClient();
  const call = useCall();
  const onViewer = useEffectEvent(async (viewer: Viewer) => {
    await hydrated;
    if (viewer.user === null) void onSessionEnd(viewer);
    else takeViewer(client, viewer);
  });
  // The session of the stream has ended; but this page itself may just be logging out, or have changed its password and
  // been given another session. So what it is doing is let finish, and the server asked.
  const onSessionEnd = useEffectEvent(async (visitor: Viewer) => {
    await sessionSettled(client);
    // The stream has said it; a server that cannot be reached takes nothing of it back.
    await askViewer(client, call).catch(() => takeViewer(client, visitor));
  });
  useEffect(() => followViewer(viewer => onViewer(viewer)), []);
  return null;
}
