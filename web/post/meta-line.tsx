import { type ReactNode, useId, useState } from 'react';
import { Link } from 'wouter';
import type { ListedPost } from '../../contract/post.ts';
import { routes } from '../app/routes.ts';
import { CommentControl, type Unfold } from './comment-control.tsx';
import { Comments } from './lazy-comments.tsx';
import { LikeButton } from './like-button.tsx';
import { Meta } from './meta.tsx';

type MetaLineProps = CountsProps & { date?: ReactNode; aside?: ReactNode };

/** The line below a post for readers, with its likes and comments. */
export function MetaLine({ post, date, aside, ...counts }: MetaLineProps) {
  // A page is not dated.
  const isDated = post.shownIn === 'timeline';
  return (
    <Meta
      post={post}
      face={post.authorFace}
      isLinked
      aside={aside}
      date={
        <>
          {date ?? (isDated && <PublishedOn post={post} />)}
          {post.type === 'essay' && isDated && <span>{post.minutes} min</span>}
        </>
      }
    >
      <Counts post={post} {...counts} />
    </Meta>
  );
}

function PublishedOn({ post: { publishedAt, publishedOn } }: { post: ListedPost }) {
  return publishedAt === null ? null : <time dateTime={publishedAt}>{publishedOn}</time>;
}

type CountsProps = {
  post: ListedPost;
  unfold?: Unfold | undefined;
  /** At the end of a post, where they are alone. */
  inWords?: boolean | undefined;
  children?: ReactNode;
};

/** The likes and comments of a post, with the buttons to add one. */
export function Counts({ post, unfold, inWords = false, children }: CountsProps) {
  return (
    <div className="acts">
      <LikeButton post={post} inWords={inWords} />
      <CommentControl post={post} unfold={unfold} inWords={inWords} />
      {children}
    </div>
  );
}

/**
 * The meta line of a card. An essay's preview has a title that links to its page. A short post has none, so
 * its date links to its page and, with the id `dateId`, names the card; its comments open in place.
 */
export function CardMeta({ post, dateId }: { post: ListedPost; dateId: string }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const regionId = useId();
  if (post.type === 'essay') return <MetaLine post={post} />;
  return (
    <>
      <MetaLine
        post={post}
        date={
          <Link id={dateId} className="dated" to={routes.post.href({ postId: post.id })}>
            <PublishedOn post={post} />
          </Link>
        }
        unfold={{ isOpen, regionId, toggle: () => setOpen(!isOpen) }}
      />
      {isOpen && (
        <div id={regionId}>
          <Comments postId={post.id} count={post.commentCount} />
        </div>
      )}
    </>
  );
}
