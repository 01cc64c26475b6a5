import { Suspense, useEffect, useId, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { scrollRestoreDelayMs } from '../../contract/limits.ts';
import { firstCodePoints } from '../../contract/text.ts';
import { usePageHeading } from '../app/site.tsx';
import { Prose } from '../ui/prose.tsx';
import { Attachments } from './attachments.tsx';
import { Comments, MetaLine } from './meta-line.tsx';
import { Pictures } from './pictures.tsx';
import type { Post } from './query.ts';

/** What a short post is called where a title is needed: its first words. */
export function titleOf(post: Post): string {
  if (post.type === 'essay') return post.title;
  const start = firstCodePoints(post.excerpt, 60);
  return start === post.excerpt ? start : `${start.trimEnd()}…`;
}

/** A post in full, with its attachments and its comments. */
export function Article({ post }: { post: Post }) {
  const heading = usePageHeading(titleOf(post));
  const { hash, key } = useLocation();
  const regionId = useId();
  const region = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  // `key` differs with every navigation: a second click on the same link opens and scrolls again.
  useEffect(() => {
    if (hash !== '#comments' || key === '') return;
    setOpen(true);
    // The delay of specification section 9, in which the comments unfold.
    const timer = setTimeout(() => region.current?.scrollIntoView(), scrollRestoreDelayMs);
    return () => clearTimeout(timer);
  }, [hash, key]);

  const meta = <MetaLine post={post} comments={{ isOpen, regionId, toggle: () => setOpen(!isOpen) }} />;
  return (
    <>
      <article className="article">
        <header>
          <h1 ref={heading} tabIndex={-1} dir="auto" className={post.type === 'short' ? 'hidden' : undefined}>
            {titleOf(post)}
          </h1>
          {post.type === 'essay' && (
            <p className="summary" dir="auto">
              {post.description}
            </p>
          )}
          {post.type === 'essay' && meta}
        </header>
        <Pictures>
          <Prose html={post.html} />
          <Attachments attachments={post.attachments} />
        </Pictures>
        {post.type === 'short' && meta}
      </article>
      <div id="comments" ref={region} className="comments-place">
        <div id={regionId}>
          {isOpen && (
            <Suspense
              fallback={
                <p className="status" role="status">
                  Loading comments...
                </p>
              }
            >
              <Comments postId={post.id} count={post.commentCount} />
            </Suspense>
          )}
        </div>
      </div>
    </>
  );
}
