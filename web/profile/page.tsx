import { useInfiniteQuery } from '@tanstack/react-query';
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
import { Section } from '../ui/section.tsx';
import { likedPostsQuery, ownCommentsQuery, startOf } from './activity.ts';
import { ActivitySection } from './activity-section.tsx';
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
