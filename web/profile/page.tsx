import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { Link, Redirect } from 'wouter';
import { ContentDate, DateTime } from '../app/date.tsx';
import { useQueryString } from '../app/navigation.ts';
import { Page } from '../app/page.tsx';
import { operationQuery, useCall } from '../app/queries.tsx';
import { RedirectTo } from '../app/redirect-to.ts';
import { loginHref, routes } from '../app/routes.ts';
import type { ScreenModule } from '../app/screen.ts';
import { useViewer } from '../app/site.tsx';
import { BreakableText } from '../ui/breakable-text.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Section } from '../ui/section.tsx';
import { useFocusOnLoaded } from '../ui/use-focus-on-loaded.ts';
import { type ListName, likedPostsQuery, nextAddress, ownCommentsQuery, startOf } from './activity.ts';
import { SubscriptionControl } from './subscription.tsx';

export const prepare: ScreenModule['prepare'] = async ({ call, client, search }) => {
  const { user } = await call('getViewer', {});
  if (user === null) throw new RedirectTo(loginHref(routes.profile.href()));
  await Promise.all([
    client.fetchInfiniteQuery(likedPostsQuery(call, startOf(search, 'likes'))),
    client.fetchInfiniteQuery(ownCommentsQuery(call, startOf(search, 'comments'))),
    client.fetchQuery(operationQuery(call, 'getSubscription', {})),
  ]);
  return { title: 'Your Activity' };
};

/** The reader's own activity (specification section 2, "/profile"). */
export default function ProfilePage() {
  const { user } = useViewer();
  return user === null ? <Redirect to={loginHref(routes.profile.href())} replace /> : <Profile />;
}

function Profile() {
  return (
    <Page
      title="Your Activity"
      header={
        <Link className="quiet" to={routes.account.href()}>
          Account
        </Link>
      }
    >
      <LikedPosts />
      <OwnComments />
      <Section title="Email Notifications" id="mail">
        <SubscriptionControl />
      </Section>
    </Page>
  );
}

function LikedPosts() {
  const search = useQueryString();
  const list = useInfiniteQuery(likedPostsQuery(useCall(), startOf(search, 'likes')));
  const likes = list.data?.pages.flatMap(page => page.likes) ?? [];
  return (
    <ActivitySection
      title="Liked Posts"
      list={list}
      whenEmpty="No liked posts yet"
      what="liked posts"
      name="likes"
      entries={likes.map(like => (
        <li className="entry" key={like.postId}>
          <Link
            to={routes.post.href({ postId: like.postId })}
            dir="auto"
            className={like.isCut ? 'cut' : undefined}
          >
            {like.postTitle}
          </Link>
          <p>
            Liked on <DateTime moment={like.likedAt} />
          </p>
        </li>
      ))}
    />
  );
}

function OwnComments() {
  const search = useQueryString();
  const list = useInfiniteQuery(ownCommentsQuery(useCall(), startOf(search, 'comments')));
  const comments = list.data?.pages.flatMap(page => page.comments) ?? [];
  return (
    <ActivitySection
      title="Your Comments"
      list={list}
      whenEmpty="No comments yet"
      what="comments"
      name="comments"
      entries={comments.map(comment => (
        <li className="entry" key={comment.id}>
          <Link to={routes.post.href({ postId: comment.postId }, '#comments')} dir="auto" className="said">
            <BreakableText text={comment.content} />
          </Link>
          <p>
            <span dir="auto" className={comment.isCut ? 'cut' : undefined}>
              {comment.postTitle}
            </span>{' '}
            · <ContentDate moment={comment.createdAt} />
          </p>
          {comment.hiddenReason !== null && (
            <p>
              Hidden by an admin: <span dir="auto">{comment.hiddenReason}</span>
            </p>
          )}
        </li>
      ))}
    />
  );
}

type ActivitySectionProps = {
  title: string;
  list: UseInfiniteQueryResult<InfiniteData<{ nextCursor: string | null }>>;
  whenEmpty: string;
  /** The name of the list in its texts. */
  what: string;
  name: ListName;
  entries: readonly ReactNode[];
};

/** One list of the profile with its states and the button that continues it. */
function ActivitySection({ title, list, whenEmpty, what, name, entries }: ActivitySectionProps) {
  const search = useQueryString();
  const rows = useRef<HTMLUListElement>(null);
  const focusOnLoaded = useFocusOnLoaded();
  const loadMore = (button: Element) => {
    const find = () => rows.current?.children[entries.length]?.querySelector('a');
    return focusOnLoaded(button, list.fetchNextPage, find);
  };
  const isFailed = list.isError && !list.isFetching;
  const isLoading = list.isPending || list.isFetchingNextPage;
  const text = isLoading ? 'Loading...' : entries.length === 0 && whenEmpty;
  return (
    <Section title={title}>
      {entries.length > 0 && <ul ref={rows}>{entries}</ul>}
      <div role="status" className="status">
        {!isFailed && text !== false && <p>{text}</p>}
      </div>
      {isFailed && (
        <LoadFailed
          text={`Failed to load ${what}`}
          error={list.error}
          onRetry={list.isFetchNextPageError ? list.fetchNextPage : list.refetch}
        />
      )}
      {list.hasNextPage && !isFailed && (
        <>
          <button
            type="button"
            className="button"
            aria-disabled={list.isFetchingNextPage}
            onClick={({ currentTarget }) => list.isFetchingNextPage || loadMore(currentTarget)}
          >
            {`Load more ${what}`}
          </button>
          <noscript>
            <a className="button" href={nextAddress(search, name, list.data?.pages.at(-1)?.nextCursor ?? '')}>
              {`Load more ${what}`}
            </a>
          </noscript>
        </>
      )}
    </Section>
  );
}
