import type { QueryClient } from '@tanstack/react-query';
import type { LiveEvents } from '../../contract/live.ts';
import type { Call } from '../../contract/operations.ts';
import { cutAtWord } from '../../contract/text.ts';
import type { PostListener } from '../app/live.ts';
import { changePost } from '../app/queries.tsx';
import { askViewer, knownViewer } from '../app/viewer.ts';
import { catchUp, changeComments, commentsQuery } from './query.ts';

/** How much of a new comment is read aloud, in characters. */
const heardCharacters = 100;

/**
 * Keeps the list of a post equal to the server's: by the stream, and by fetching if the stream is not enough.
 * `onNews` is called with comments of others.
 */
export function syncComments(
  client: QueryClient,
  call: Call,
  postId: string,
  start: string | null,
  onNews: (text: string) => void,
): PostListener {
  const { queryKey } = commentsQuery(call, postId, start);
  let isAsking = false;
  let isWanted = false;
  const isFetching = () => client.isFetching({ queryKey }) > 0;
  /**
   * Waits for a fetch in progress: its answer may be older than what is already known, and would replace it.
   */
  const settled = async () => {
    if (isFetching()) await client.refetchQueries({ queryKey }, { cancelRefetch: false });
  };
  const ask = async () => {
    isWanted = true;
    if (isAsking) return;
    isAsking = true;
    // A call that comes meanwhile may concern a change that the pending answer does not contain.
    while (isWanted) {
      isWanted = false;
      await settled();
      // If the server cannot be reached, the list stays as it is, and the next connection of the stream tries
      // again.
      await catchUp(client, call, postId, start).catch(() => {});
    }
    isAsking = false;
  };
  const isBehind = ({ version, commentCount, closedAt }: LiveEvents['state']) => {
    const [first] = client.getQueryData(queryKey)?.pages ?? [];
    return first?.version !== version || first.commentCount !== commentCount || first.closedAt !== closedAt;
  };
  return {
    onState: async state => {
      const { commentCount, likeCount } = state;
      changePost(client, postId, { commentCount, likeCount });
      await settled();
      if (isAsking || isBehind(state)) await ask();
    },
    onChange: ({ added, removed, commentCount, likeCount, version, closedAt }) => {
      const state = { version, closedAt };
      const fresh = changeComments(client, postId, { added, removed, commentCount, likeCount, state });
      if (isAsking || isFetching()) void ask();
      const viewer = knownViewer(client)?.user;
      const newest = fresh.find(comment => comment.userId !== viewer?.id);
      if (newest !== undefined)
        onNews(`New comment by ${newest.authorUsername}: ${cutAtWord(newest.content, heardCharacters)}`);
    },
    onGone: () => {
      // A removed query would stay on the screen until the next rendering.
      void client.resetQueries({ queryKey: ['listComments', { postId }] });
      void askViewer(client, call).catch(() => {});
      void client.invalidateQueries({
        predicate: ({ queryKey: [name] }) => ['getPosts', 'getPost'].includes(String(name)),
      });
    },
    onDisconnected: ask,
  };
}
