import { type ComponentType, lazy, type ReactNode, Suspense, useId, useState } from 'react';
import { Link } from 'wouter';
import type { ListedPost } from '../../contract/posts.ts';
import { routes } from '../app/routes.ts';
import { Notice } from '../ui/notice.tsx';
import { CommentControl, type Unfold } from './comment-control.tsx';
import { LikeButton } from './like-button.tsx';

type CommentsProps = { postId: string; count: number };

let loaded: ComponentType<CommentsProps> | undefined;

/** Loads the script of the comments when they are first opened; the server loads it if the address opens them. */
export async function loadComments() {
  const module = await import('../comments/comments.tsx');
  loaded = module.default;
  return module;
}

const LazyComments = lazy(() => loadComments().catch(() => ({ default: CommentsFailed })));

/** Shown if the script cannot be loaded, so that the rest of the page stays readable. */
function CommentsFailed(_: CommentsProps) {
  return <Notice text="Failed to load the comments. Please reload the page." />;
}

export function Comments(props: CommentsProps) {
  const [View] = useState<ComponentType<CommentsProps>>(() => loaded ?? LazyComments);
  return (
    <Suspense
      fallback={
        <p className="status" role="status">
          Loading comments...
        </p>
      }
    >
      <View {...props} />
    </Suspense>
  );
}

/** The line below a post: its date, its author, its tags, likes and comments. */
export function MetaLine({ post, unfold, date }: { post: ListedPost; unfold?: Unfold; date?: ReactNode }) {
  return (
    <div className="meta">
      {date ?? <PublishedOn post={post} />}
      {post.authorUsername !== null && <Byline username={post.authorUsername} />}
      {post.tags.length > 0 && (
        <ul className="tags" aria-label="Tags">
          {post.tags.map(tag => (
            <li key={tag}>
              <Link className="chip" to={routes.tag.href({ tag })}>
                {tag}
              </Link>
            </li>
          ))}
        </ul>
      )}
      <Counts post={post} unfold={unfold} />
    </div>
  );
}

/** The author of a post, for readers who may read posts of several authors. */
export function Byline({ username }: { username: string }) {
  return <span className="byline">by {username}</span>;
}

function PublishedOn({ post: { publishedAt, publishedOn } }: { post: ListedPost }) {
  return publishedAt === null ? null : <time dateTime={publishedAt}>{publishedOn}</time>;
}

/** The likes and comments of a post, with the buttons to add one. */
export function Counts({ post, unfold }: { post: ListedPost; unfold?: Unfold | undefined }) {
  return (
    <div className="acts">
      <LikeButton post={post} />
      <CommentControl post={post} unfold={unfold} />
    </div>
  );
}

/**
 * The meta line of a card. An essay's preview has a title that links to its page. A short post has none, so its date
 * links to its page and, with the id `dateId`, names the card; its comments open in place.
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
