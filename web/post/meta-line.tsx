import { MessageSquare } from 'lucide-react';
import { Link } from 'react-router';
import type { Output } from '../../contract/operations.ts';
import { DateTime } from '../app/date.tsx';
import { LikeButton } from './like-button.tsx';

type ListedPost = Output<'getPosts'>['posts'][number];

/** The one quiet line under a post: its date, its tags, and what readers made of it. */
export function MetaLine({
  post,
}: {
  post: Pick<ListedPost, 'id' | 'publishedAt' | 'tags' | 'isLiked' | 'likeCount' | 'commentCount'>;
}) {
  const comments = post.commentCount === 1 ? '1 comment' : `${post.commentCount} comments`;
  return (
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
        <Link className="count" to={`/post/${post.id}#comments`} aria-label={comments}>
          <MessageSquare aria-hidden="true" />
          {post.commentCount}
        </Link>
      </div>
    </div>
  );
}
