import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Output } from '../../contract/operations.ts';
import { changePost, useCall } from '../app/operations.tsx';
import { followPost } from './live.ts';
import { catchUp, changeComments, commentsQuery } from './query.ts';

/**
 * Keeps the list of a post as the server has it: by the stream, and by asking where the stream cannot tell. `onNews` is
 * told of what others write.
 */
export function useLiveComments(postId: string, start: string | null, onNews: (text: string) => void): void {
  const client = useQueryClient();
  const call = useCall();
  const isCatchingUp = useRef(false);
  useEffect(() => {
    const { queryKey } = commentsQuery(call, postId, start);
    const ask = async () => {
      if (isCatchingUp.current) return;
      isCatchingUp.current = true;
      try {
        await catchUp(client, call, postId, start);
      } catch {
        // Who cannot be reached is asked again when the stream is there; the list stays as it was.
      } finally {
        isCatchingUp.current = false;
      }
    };
    return followPost(postId, {
      onState: ({ newestId, commentCount, likeCount }) => {
        const [first] = client.getQueryData(queryKey)?.pages ?? [];
        changePost(client, postId, { commentCount, likeCount });
        // The newest and the number tell: comments are only added at the front.
        const isSame = first?.comments[0]?.id === (newestId ?? undefined);
        if (first === undefined || !isSame || first.commentCount !== commentCount) void ask();
      },
      onChange: change => {
        const fresh = changeComments(client, postId, { ...change, isInStep: true });
        const viewer = client.getQueryData<Output<'getViewer'>>(['getViewer', {}])?.user;
        const newest = fresh.find(comment => comment.authorUsername !== viewer?.username);
        if (newest !== undefined) onNews(`New comment by ${newest.authorUsername}: ${newest.content}`);
      },
      onGone: () => {
        client.removeQueries({ queryKey: ['listComments', { postId }] });
        void client.invalidateQueries({
          predicate: ({ queryKey: [name] }) =>
            ['getViewer', 'getPosts', 'getPost', 'listComments'].includes(String(name)),
        });
      },
      onSilence: () => void ask(),
    });
  }, [client, call, postId, start, onNews]);
}
