import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { scrollRestoreDelayMs } from '../../contract/constants.ts';
import type { Post } from '../../contract/post.ts';
import { isRepeated } from '../../contract/text.ts';
import { useMove, useQueryString } from '../app/navigation.ts';
import { routes } from '../app/routes.ts';
import { scrollToElement } from '../app/scroll.ts';
import { usePageHeading } from '../app/site.tsx';
import { useNoteOpened } from '../reading/marks.tsx';
import { Openings, useCountOpening } from '../reading/openings.tsx';
import { keepPost } from '../storage/offline.ts';
import { Prose } from '../ui/prose.tsx';
import { Attachments } from './attachments.tsx';
import { Comments } from './lazy-comments.tsx';
import { Counts, MetaLine } from './meta-line.tsx';
import { Pictures } from './pictures.tsx';
import { Share } from './share.tsx';
import { shortHeading, titleOf } from './title.ts';

/** Whether the comments are open, and their position: a link to `#comments` opens them and scrolls there. */
function useCommentsPlace() {
  const { count } = useMove();
  const region = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(useQueryString().has('comments'));
  // biome-ignore lint/correctness/useExhaustiveDependencies: another click on the same link scrolls again
  useEffect(() => {
    const place = region.current;
    if (window.location.hash !== '#comments' || place === null) return undefined;
    setOpen(true);
    place.focus({ preventScroll: true });
    // The delay of specification section 9, during which the comments open.
    return scrollToElement(place, scrollRestoreDelayMs);
  }, [count]);
  return { isOpen, setOpen, region };
}

/**
 * A post in full, with its attachments and comments. Above an essay, the number of comments links to them
 * below the text.
 */
export function Article({ post }: { post: Post }) {
  const heading = usePageHeading(titleOf(post));
  useNoteOpened(post.id);
  useCountOpening(post.id);
  const { id } = post;
  useEffect(() => {
    keepPost(id).catch(() => {});
  }, [id]);
  const { isOpen, setOpen, region } = useCommentsPlace();
  const isEssay = post.type === 'essay';
  const address = routes.post.href({ postId: post.id });
  const share = <Share path={address} title={titleOf(post)} />;
  const aside = post.can.edit && (
    <>
      <Openings postId={id} />
      <Link className="dated" to={routes.editPost.href({ postId: id })}>
        Edit
      </Link>
    </>
  );
  const unfold = { isOpen, regionId: 'comments', toggle: () => setOpen(!isOpen) };
  return (
    <>
      <article className="article">
        <header>
          <h1
            ref={heading}
            tabIndex={-1}
            className={isEssay ? undefined : 'hidden'}
            dir="auto"
            lang={isEssay ? post.language : undefined}
          >
            {isEssay ? post.title : shortHeading(post)}
          </h1>
          {isEssay && (
            <>
              {!isRepeated(post) && (
                <p className="summary" dir="auto" lang={post.descriptionLanguage}>
                  {post.description}
                </p>
              )}
              <MetaLine post={post} aside={aside} />
            </>
          )}
        </header>
        <Pictures postId={post.id}>
          <Prose html={post.html} />
          <Attachments attachments={post.attachments} />
        </Pictures>
        {isEssay ? (
          <div className="meta end">
            <Counts post={post} unfold={unfold} inWords>
              {share}
            </Counts>
          </div>
        ) : (
          <MetaLine post={post} aside={aside} unfold={unfold} inWords>
            {share}
          </MetaLine>
        )}
      </article>
      <div id="comments" ref={region} tabIndex={-1} className="comments-place">
        {isOpen ? (
          <Comments postId={post.id} count={post.commentCount} />
        ) : (
          <noscript>
            <a className="button" href={routes.post.href({ postId: post.id }, '?comments=1#comments')}>
              Show comments
            </a>
          </noscript>
        )}
      </div>
    </>
  );
}
