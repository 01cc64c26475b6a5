import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import type { ListedPost } from '../../contract/post.ts';
import { changePost, useOperations } from '../app/queries.tsx';
import { routes } from '../app/routes.ts';
import { useViewer } from '../app/site.tsx';
import { askViewer, isRefusal } from '../app/viewer.ts';
import { amount, number } from '../ui/amount.ts';
import { useDialogs } from '../ui/dialogs.tsx';
import { Heart } from './icons.tsx';
import { useLoginPrompt } from './login-prompt.ts';

export function LikeButton({ post, inWords }: { post: ListedPost; inWords: boolean }) {
  const dialogs = useDialogs();
  const promptLogin = useLoginPrompt();
  const { user, can } = useViewer();
  const like = useLike(post);
  const click = async () => {
    if (can.like) like.mutate(!post.isLiked);
    else if (user === null) await promptLogin();
    else await dialogs.alert(unapprovedLikeText);
  };
  return (
    <button
      type="button"
      className="count"
      aria-pressed={post.isLiked}
      aria-label={`Like, ${amount(post.likeCount, 'like')}`}
      onClick={click}
    >
      <Heart />
      <span>{inWords ? wordsOf(post.likeCount) : number(post.likeCount)}</span>
    </button>
  );
}

/**
 * Shows a like immediately; the server's answer corrects it. Quick clicks are sent one after another, and
 * only the answer to the last one counts.
 */
function useLike(post: ListedPost) {
  const { call, client } = useOperations();
  const dialogs = useDialogs();
  const promptLogin = useLoginPrompt();
  const mutationKey = ['setLike', post.id];
  /** The last answer of the server, which is shown again if a like could not be saved. */
  const confirmed = useRef({ isLiked: post.isLiked, likeCount: post.likeCount });
  const isLast = () => client.isMutating({ mutationKey }) === 1;
  return useMutation({
    mutationKey,
    scope: { id: mutationKey.join() },
    // Offline it fails immediately, so that the reader is told, instead of waiting silently.
    networkMode: 'always',
    mutationFn: (liked: boolean) => call('setLike', { postId: post.id, liked }),
    onMutate: liked => {
      if (isLast()) confirmed.current = { isLiked: post.isLiked, likeCount: post.likeCount };
      changePost(client, post.id, {
        isLiked: liked,
        likeCount: Math.max(0, post.likeCount + (liked ? 1 : -1)),
      });
    },
    onSuccess: ({ liked, likeCount }) => {
      confirmed.current = { isLiked: liked, likeCount };
      if (isLast()) changePost(client, post.id, confirmed.current);
    },
    onError: async error => {
      if (!isLast()) return;
      changePost(client, post.id, confirmed.current);
      void client.invalidateQueries({
        predicate: query => ['getPosts', 'getPost'].includes(String(query.queryKey[0])),
      });
      if (isRefusal(error)) {
        const viewer = await askViewer(client, call).catch(() => undefined);
        if (viewer?.user === null) return await promptLogin(routes.post.href({ postId: post.id }));
        if (viewer?.can.like === false) return await dialogs.alert(unapprovedLikeText);
      }
      await dialogs.alert(`Failed to save your like. ${error.message}`);
    },
  });
}

/** The button's words where it is alone: the action, or how many have done it. */
const wordsOf = (likes: number) => (likes === 0 ? 'Like' : amount(likes, 'like'));

/** Specification section 8. */
const unapprovedLikeText = 'Your account needs to be approved by an admin before you can like posts.';
