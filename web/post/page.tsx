import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link, Navigate, useNavigate, useParams } from 'react-router';
import { useCall } from '../app/operations.tsx';
import { usePageHeading } from '../app/site.tsx';
import { Redirect } from '../redirect.ts';
import type { ScreenModule } from '../screens.ts';
import { Article, titleOf } from './article.tsx';
import { postQuery } from './query.ts';

/** How long the reader sees that a post is missing before the timeline takes its place. Milliseconds. */
const missingPostMs = 4_000;

export const prepare: ScreenModule['prepare'] = async ({ call, client, params }) => {
  const postId = params.postId ?? '';
  const answer = await client.fetchQuery(postQuery(call, postId));
  if ('post' in answer) {
    const { post } = answer;
    return {
      title: titleOf(post),
      description: post.type === 'essay' ? post.description : post.excerpt,
      canonical: `/post/${post.id}`,
      kind: 'article',
      publishedAt: post.publishedAt ?? undefined,
    };
  }
  if (answer.refusal === 'permission-denied') throw new Redirect(loginPath(postId));
  return { status: 404, title: 'Post not found' };
};

function loginPath(postId: string): string {
  return `/login?next=${encodeURIComponent(`/post/${postId}`)}`;
}

/** A post on its own page (specification section 2, "/post/{postId}"). */
export default function PostPage() {
  const { postId = '' } = useParams();
  const query = useQuery(postQuery(useCall(), postId));
  if (query.data !== undefined && 'refusal' in query.data && query.data.refusal === 'permission-denied') {
    return <Navigate to={loginPath(postId)} replace />;
  }
  return (
    <main id="main" tabIndex={-1} className="page">
      {query.isPending && (
        <p className="status" role="status">
          Loading...
        </p>
      )}
      {query.isError && (
        <div role="alert">
          <p className="status">Error fetching post. Please try again.</p>
          <button type="button" className="button" onClick={() => query.refetch()}>
            Try again
          </button>
        </div>
      )}
      {query.isSuccess && ('post' in query.data ? <Article post={query.data.post} /> : <Missing />)}
    </main>
  );
}

/** Says so, then leads to the timeline (decisions.md 7). */
function Missing() {
  const heading = usePageHeading('Post not found');
  const navigate = useNavigate();
  useEffect(() => {
    const timer = setTimeout(() => navigate('/', { replace: true }), missingPostMs);
    return () => clearTimeout(timer);
  }, [navigate]);
  return (
    <>
      <header>
        <h1 ref={heading} tabIndex={-1}>
          Post not found
        </h1>
      </header>
      <p>
        <Link to="/">Go to the timeline</Link>
      </p>
    </>
  );
}
