import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { followPost } from '../app/live.ts';
import { useCall } from '../app/operations.tsx';
import { syncComments } from './sync.ts';

/** Keeps the list of a post on the page equal to that of the server. */
export function useLiveComments(postId: string, start: string | null, onNews: (text: string) => void): void {
  const client = useQueryClient();
  const call = useCall();
  useEffect(
    () => followPost(postId, syncComments(client, call, postId, start, onNews)),
    [client, call, postId, start, onNews],
  );
}
