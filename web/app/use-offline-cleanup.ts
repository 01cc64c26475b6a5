import { useEffect, useRef } from 'react';
import { checkPosts, forgetPostsOfOthers } from '../storage/offline.ts';
import { forgetShares, takeShares } from '../storage/shares.ts';
import { endWorkerOfOthers } from '../storage/workers.ts';
import { useViewer } from './site.tsx';

/**
 * Deletes what this browser keeps for anybody but the viewer, and kept posts that they may no longer read.
 * Authors may share content with the installed app from then on.
 */
export function useOfflineCleanup(): void {
  const { user, can, rights } = useViewer();
  const sharer = can.write ? user?.id : undefined;
  useEffect(() => {
    // The site works without it: some browsers keep nothing for it, or refuse workers.
    (sharer === undefined ? forgetShares() : takeShares(sharer)).catch(() => {});
  }, [sharer]);
  const reader = user?.isApproved ? user.id : undefined;
  useEffect(() => {
    // The next page tries again.
    forgetPostsOfOthers(reader).catch(() => {});
    endWorkerOfOthers('push', reader).catch(() => {});
  }, [reader]);
  const known = useRef(rights);
  useEffect(() => {
    if (known.current === rights) return;
    known.current = rights;
    checkPosts().catch(() => {});
  }, [rights]);
}
