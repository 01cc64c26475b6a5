import { lazy, Suspense, useId, useState } from 'react';
import { Link } from 'react-router';
import type { Output } from '../../contract/operations.ts';
import { DateTime } from '../app/date.tsx';
import { CommentControl } from './comment-control.tsx';
import { LikeButton } from './like-button.tsx';

type ListedPost = Output<'getPosts'>['posts'][number];
type Props = {
  post: Pick<ListedPost, 'id' | 'type' | 'publishedAt' | 'tags' | 'isLiked' | 'likeCount' | 'commentCount'>;
  /** On the post's own page, which holds its comments elsewhere. */
  comments?: { isOpen: boolean; regionId: string; toggle(): void };
};

/** Its script comes with the first comments that are opened. */
export const Comments = lazy(() =>
  import('../comments/comments.tsx').catch(() => ({ default: CommentsFailed })),
);

/** A script that cannot be reached must not take the page away that is being read. */
function CommentsFailed(_: { postId: string; count: number }) {
  return (
    <p className="notice bad" role="alert">
      The comments could not be loaded. Please reload the page to try again.
    </p>
  );
}

/**
 * The one quiet line under a post: its date, its tags, and what readers made of it. Under a short post in a list the
 * comments unfold in place; an essay's preview leads to its page.
 */
export function MetaLine({ post, comments }: Props) {
  const [isOpen, setOpen] = useState(false);
  const regionId = useId();
  const isCard = comments === undefined;
  const unfold =
    isCard && post.type === 'short' ? { isOpen, regionId, toggle: () => setOpen(!isOpen) } : comments;
  return (
    <>
      <div className="meta">
        <DateTime moment={post.publishedAt} />
        {post.tags.length > 0 && (
          <ul className="tags" aria-label="Tags">
            {post.tags.map(tag => (
              <li key={tag}>
                <Link className="chip" to={`/tags/${encodeURIComponent(tag)}`}>
                  {tag}
                </Link>
              </li>
            ))}
          </ul>
        )}
        <div className="acts">
          <LikeButton post={post} />
          <CommentControl post={post} unfold={unfold} />
        </div>
      </div>
      {isCard && isOpen && (
        <div id={regionId}>
          <Suspense
            fallback={
              <p className="status" role="status">
                Loading comments...
              </p>
            }
          >
            <Comments postId={post.id} count={post.commentCount} />
          </Suspense>
        </div>
      )}
    </>
  );
}
