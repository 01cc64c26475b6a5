import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Heart } from 'lucide-react';
import { useNavigate } from 'react-router';
import { changePost, useCall } from '../app/operations.tsx';
import { useViewer } from '../app/site.tsx';

type LikedPost = { id: string; isLiked: boolean; likeCount: number };

/**
 * Likes at once on screen; the server's answer corrects it. Clicks in quick succession are sent one after another, and
 * only the answer to the last one counts.
 */
export function LikeButton({ post }: { post: LikedPost }) {
  const call = useCall();
  const client = useQueryClient();
  const { can } = useViewer();
  const navigate = useNavigate();
  const mutationKey = ['setLike', post.id];
  const isLast = () => client.isMutating({ mutationKey }) === 1;
  const like = useMutation({
    mutationKey,
    scope: { id: mutationKey.join() },
    mutationFn: (liked: boolean) => call('setLike', { postId: post.id, liked }),
    onMutate: liked => {
      changePost(client, post.id, {
        isLiked: liked,
        likeCount: Math.max(0, post.likeCount + (liked ? 1 : -1)),
      });
    },
    onSuccess: ({ liked, likeCount }) => {
      if (isLast()) changePost(client, post.id, { isLiked: liked, likeCount });
    },
    onError: async () => {
      if (isLast())
        await client.invalidateQueries({
          predicate: query => ['getPosts', 'getPost'].includes(String(query.queryKey[0])),
        });
    },
  });
  const count = post.likeCount === 1 ? '1 like' : `${post.likeCount} likes`;
  return (
    <button
      type="button"
      className="count"
      aria-pressed={post.isLiked}
      aria-label={`Like, ${count}`}
      onClick={() => (can.like ? like.mutate(!post.isLiked) : navigate('/login'))}
    >
      <Heart aria-hidden="true" />
      {post.likeCount}
    </button>
  );
}
