import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Ago, ContentDate } from '../../app/date.tsx';
import { routes } from '../../app/routes.ts';
import { Heart, MessageSquare } from '../../post/icons.tsx';
import { Meta } from '../../post/meta.tsx';
import { amount, number } from '../../ui/amount.ts';
import { RowAction } from '../../ui/row-action.tsx';
import { useAdminOperations } from '../layout.tsx';
import type { ManagedPost } from './page.tsx';

type ManagedPostCardProps = {
  post: ManagedPost;
  /** The query of the list's address: the editor leads back to it after a save. */
  listQuery: string;
  /** How often it was opened, in words; false if that is not counted. */
  openings: string | false;
  isBusy: boolean;
  /** Undefined while no posts are being selected. */
  isSelected: boolean | undefined;
  onSelect(isSelected: boolean): void;
  onLikes(): void;
  onDelete(): void;
};

/** A post in the list of its author or an admin: its kind and state, its likes, and the actions on it. */
export function ManagedPostCard({
  post,
  listQuery,
  openings,
  isBusy,
  isSelected,
  onSelect,
  onLikes,
  onDelete,
}: ManagedPostCardProps) {
  const name = post.title ?? post.excerpt;
  const likes = amount(post.likeCount, 'like');
  const comments = amount(post.commentCount, 'comment');
  return (
    <article className="managed">
      {isSelected !== undefined && (
        <label className="choice">
          <input
            type="checkbox"
            aria-label={`Select ${name}`}
            checked={isSelected}
            onChange={event => onSelect(event.currentTarget.checked)}
          />
        </label>
      )}
      <h2 className={post.title === null ? 'short' : undefined} dir="auto">
        <Link to={routes.post.href({ postId: post.id })}>{name}</Link>
      </h2>
      {post.title !== null && (
        <p className="summary" dir="auto">
          {post.excerpt}
        </p>
      )}
      <Meta
        post={post}
        date={
          <>
            {post.shownIn !== 'timeline' && <span>In the {post.shownIn}</span>}
            {post.isDraft ? (
              <>
                <span className="draft">Draft</span>
                <span>
                  Changed <Ago moment={post.updatedAt ?? post.createdAt} isContent={false} />
                </span>
              </>
            ) : (
              <span>
                <ContentDate moment={post.publishedAt} />
              </span>
            )}
          </>
        }
        aside={openings && <span>{openings}</span>}
      >
        <div className="acts">
          {!post.isDraft && (
            <>
              <button type="button" className="count" aria-label={likes} title="Liked by" onClick={onLikes}>
                <Heart />
                <span>{number(post.likeCount)}</span>
              </button>
              <Link
                className="count"
                to={routes.post.href({ postId: post.id }, '#comments')}
                aria-label={comments}
              >
                <MessageSquare />
                <span>{number(post.commentCount)}</span>
              </Link>
            </>
          )}
          <Link
            className="quiet"
            to={routes.editPost.href({ postId: post.id }, listQuery)}
            aria-label={`Edit ${name}`}
          >
            Edit
          </Link>
          {!post.isDraft && post.shownIn === 'timeline' && <PinAction post={post} name={name} />}
          <RowAction verb="Delete" name={name} isDangerous isBusy={isBusy} onClick={onDelete} />
        </div>
      </Meta>
    </article>
  );
}

/** Pins a post to the top of the timeline, or unpins it. */
function PinAction({ post: { id: postId, isPinned }, name }: { post: ManagedPost; name: string }) {
  const { call, client, report } = useAdminOperations();
  const pin = useMutation({
    mutationFn: () => call('setPinned', { postId, isPinned: !isPinned }),
    onSuccess: async () => {
      report.done(isPinned ? 'The post is back at its date.' : 'The post is now on top of the timeline.');
      await client.invalidateQueries();
    },
    onError: error =>
      report.failed(`Failed to ${isPinned ? 'unpin' : 'pin'} the post. Please try again.`, error),
  });
  return (
    <RowAction
      verb={isPinned ? 'Unpin' : 'Pin'}
      name={name}
      isBusy={pin.isPending}
      onClick={() => pin.mutate()}
    />
  );
}
