import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { Output } from '../../contract/operations.ts';
import { timelineQuery, useCall } from '../app/operations.tsx';
import { usePageHeading, useSettings } from '../app/site.tsx';
import { MetaLine } from '../post/meta-line.tsx';
import type { ScreenModule } from '../screens.ts';
import { Prose } from '../ui/prose.tsx';

export const prepare: ScreenModule['prepare'] = async ({ call, client }) => {
  await client.fetchInfiniteQuery(timelineQuery(call, []));
  const { about } = await call('getSettings', {});
  return { title: '', description: firstSentence(about.content), canonical: '/', kind: 'website' };
};

function firstSentence(markdown: string): string {
  return markdown.split('\n\n')[0]?.slice(0, 200) ?? '';
}

/** The timeline (specification section 2, "/"). */
export default function TimelinePage() {
  const heading = usePageHeading('');
  const { about } = useSettings();
  const timeline = useInfiniteQuery(timelineQuery(useCall(), []));
  const posts = timeline.data?.pages.flatMap(page => page.posts) ?? [];
  return (
    <>
      {about.html !== '' && (
        <aside className="about" aria-labelledby="about-title">
          <h2 id="about-title">About</h2>
          <Prose html={about.html} className="prose small" />
        </aside>
      )}
      <main id="main" tabIndex={-1} className="page">
        <h1 className="hidden" ref={heading} tabIndex={-1}>
          Posts
        </h1>
        <div className="timeline">
          {posts.map(post => (
            <PostItem key={post.id} post={post} />
          ))}
        </div>
        {timeline.isPending && <Status text="Loading posts..." />}
        {timeline.isError && <Status text="Failed to load posts" />}
        {timeline.isSuccess && posts.length === 0 && (
          <Status text="No posts found with this search criteria" />
        )}
        {timeline.isFetchingNextPage && <Status text="Loading more posts..." />}
        {timeline.hasNextPage && (
          <button
            type="button"
            className="button"
            disabled={timeline.isFetching}
            onClick={() => timeline.fetchNextPage()}
          >
            Load More Posts
          </button>
        )}
      </main>
    </>
  );
}

function Status({ text }: { text: string }) {
  return (
    <p className="status" role="status">
      {text}
    </p>
  );
}

/** A short post in full, or the preview of an essay (decisions.md 21). */
function PostItem({ post }: { post: Output<'getPosts'>['posts'][number] }) {
  if (post.type === 'essay') {
    return (
      <article className="post essay">
        <h2>
          <Link to={`/post/${post.id}`}>{post.title}</Link>
        </h2>
        <p className="summary">{post.description}</p>
        <MetaLine post={post} />
      </article>
    );
  }
  return (
    <article className="post note">
      <Prose html={post.html} />
      <MetaLine post={post} />
    </article>
  );
}
