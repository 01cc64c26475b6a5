import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { openingsShownFrom } from '../../contract/constants.ts';
import type { Call, Output } from '../../contract/operations.ts';
import { operationQuery, useCall } from '../app/queries.tsx';
import { useSettings } from '../app/site.tsx';

/** How long a post must have been on the screen before it is counted, in seconds. */
const openSeconds = 5;

/** Posts counted by this document: once per page load. */
const countedHere = new Set<string>();

/** Counts the post once it has been on the screen for some seconds. */
export function useCountOpening(postId: string): void {
  const call = useCall();
  const { countsOpenings } = useSettings();
  useEffect(() => {
    if (countsOpenings === 'false' || !navigator.cookieEnabled) return;
    let seconds = 0;
    const timer = setInterval(() => {
      // A page loaded in advance is hidden, too.
      if (document.hidden || ++seconds < openSeconds) return;
      clearInterval(timer);
      if (countedHere.has(postId)) return;
      countedHere.add(postId);
      call('countOpening', { postId }).catch(() => {});
    }, 1_000);
    return () => clearInterval(timer);
  }, [call, countsOpenings, postId]);
}

export function openingsQuery(call: Call, posts: readonly { id: string }[]) {
  return operationQuery(call, 'getOpenings', { postIds: posts.map(post => post.id) });
}

/** About how often a post was opened, if the site counts it. */
export function openingsText({ isCounted, counts }: Output<'getOpenings'>, postId: string): string | false {
  const times = counts.find(each => each.postId === postId)?.times;
  const text = times === undefined ? `fewer than ${openingsShownFrom}` : `${times.toLocaleString('en-US')}+`;
  return isCounted && `Opened ${text} times`;
}

/** How often a post was opened, for those who may edit it. */
export function Openings({ postId }: { postId: string }) {
  const { data } = useQuery(openingsQuery(useCall(), [{ id: postId }]));
  const text = data && openingsText(data, postId);
  return text && <span>{text}</span>;
}
