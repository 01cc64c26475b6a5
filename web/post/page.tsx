import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link, Redirect } from 'wouter';
import type { Call, Output } from '../../contract/operations.ts';
import type { Post } from '../../contract/post.ts';
import { useNavigate } from '../app/navigation.ts';
import { Main, Page, PageHeader } from '../app/page.tsx';
import { operationQuery, useCall } from '../app/queries.tsx';
import { RedirectTo } from '../app/redirect-to.ts';
import { loginHref, routes } from '../app/routes.ts';
import type { ScreenModule, ScreenProps } from '../app/screen.ts';
import { openingsQuery } from '../reading/openings.tsx';
import { Article } from './article.tsx';
import { loadComments } from './lazy-comments.tsx';
import { postQuery } from './query.ts';
import { titleOf } from './title.ts';

/** How long the page says that a post is missing before it leads to the timeline, in milliseconds. */
const missingPostMs = 4_000;

export const loadParts = async (search: URLSearchParams) => search.has('comments') && loadComments();

export const prepare: ScreenModule['prepare'] = async ({ call, client, params, search }) => {
  const postId = params.postId ?? '';
  const answer = await client.fetchQuery(postQuery(call, postId));
  if ('post' in answer) {
    const { post } = answer;
    await Promise.all([
      search.has('comments') &&
        loadComments().then(({ prepareComments }) => prepareComments(call, client, post.id, search)),
      // A failure only omits the links.
      client.prefetchQuery(neighboursQuery(call, post.id)),
      post.can.edit && client.prefetchQuery(openingsQuery(call, [post])),
    ]);
    return {
      title: titleOf(post),
      description: post.description ?? post.excerpt,
      canonical: routes.post.href({ postId: post.id }),
      kind: 'article',
      publishedAt: post.publishedAt ?? undefined,
      author: post.authorUsername ?? undefined,
      picture: pictureOf(post),
    };
  }
  if (answer.refusal === 'permission-denied') throw new RedirectTo(loginPath(postId));
  return { status: 404, title: 'Post not found' };
};

/**
 * The picture for link previews: that of the card if it is ours, else undefined for the first one of the page
 * that is. Null where the author wants none.
 */
function pictureOf(post: Post): string | null | undefined {
  if (post.type === 'short') return undefined;
  if (post.hidesPicture) return null;
  return post.picture?.src.startsWith('/files/') ? post.picture.src : undefined;
}

function loginPath(postId: string): string {
  return loginHref(routes.post.href({ postId }));
}

/** A post on its own page (specification section 2, "/post/{postId}"). */
export default function PostPage({ params: { postId = '' } }: ScreenProps) {
  const { data, isFetching, refetch } = useQuery(postQuery(useCall(), postId));
  if (data !== undefined && 'refusal' in data) {
    return data.refusal === 'not-found' ? <Missing /> : <Redirect to={loginPath(postId)} replace />;
  }
  return (
    <Main>
      {/* A loaded post stays if fetching it again fails. Another post is another page. */}
      {data !== undefined && <Article key={data.post.id} post={data.post} />}
      {data !== undefined && <Neighbours postId={data.post.id} />}
      {/* Always there, because a screen reader announces only what changes in it. */}
      <p className="status" role="status">
        {data === undefined && isFetching && 'Loading...'}
      </p>
      {data === undefined && !isFetching && (
        <>
          <PageHeader title="Error fetching post. Please try again." />
          <button type="button" className="button" onClick={() => refetch()}>
            Try again
          </button>
        </>
      )}
    </Main>
  );
}

/** Says that the post is missing, then goes to the timeline (decision 7). */
function Missing() {
  const navigate = useNavigate();
  useEffect(() => {
    const timer = setTimeout(() => navigate(routes.timeline.href(), { replace: true }), missingPostMs);
    return () => clearTimeout(timer);
  }, [navigate]);
  return (
    <Page title="Post not found">
      <p>It may have been deleted, or the link may be wrong. Taking you to the timeline...</p>
      <p>
        <Link to={routes.timeline.href()}>Go to the timeline</Link>
      </p>
    </Page>
  );
}

function neighboursQuery(call: Call, postId: string) {
  return operationQuery(call, 'getNeighbours', { postId });
}

type Neighbour = NonNullable<Output<'getNeighbours'>['older']>;

/** Links to the previous and next post. Nothing until they are known. */
function Neighbours({ postId }: { postId: string }) {
  const { data } = useQuery(neighboursQuery(useCall(), postId));
  if (data === undefined || (data.older === null && data.newer === null)) return null;
  return (
    <nav className="neighbours" aria-label="More posts">
      {data.older !== null && <Neighbour post={data.older} which="Older" rel="prev" />}
      {data.newer !== null && <Neighbour post={data.newer} which="Newer" rel="next" />}
    </nav>
  );
}

function Neighbour({ post, which, rel }: { post: Neighbour; which: string; rel: 'prev' | 'next' }) {
  return (
    <Link to={routes.post.href({ postId: post.postId })} rel={rel}>
      <span>{which}</span>
      <strong>
        <bdi>{post.title}</bdi>
      </strong>
    </Link>
  );
}
