import { Link } from 'wouter';
import type { ListedPost, PreviewPicture } from '../../contract/post.ts';
import { routes } from '../app/routes.ts';
import { Attachments } from '../post/attachments.tsx';
import { CardMeta } from '../post/meta-line.tsx';
import { Pictures } from '../post/pictures.tsx';
import { shortHeading } from '../post/title.ts';
import { Prose } from '../ui/prose.tsx';

/** A short post in full, or the preview of an essay that leads to its page (decision 21). */
export function PostCard({ post }: { post: ListedPost }) {
  const isEssay = post.type === 'essay';
  const nameId = `name-${post.id}`;
  return (
    // The focus moves here when more posts have been loaded.
    <article className="post" aria-labelledby={nameId} tabIndex={-1}>
      {isEssay ? (
        <div className={post.picture === null ? undefined : 'pictured'}>
          <h2 id={nameId} dir="auto" lang={post.language}>
            <Link to={routes.post.href({ postId: post.id })}>{post.title}</Link>
          </h2>
          <p className="summary" dir="auto" lang={post.descriptionLanguage}>
            {post.description}
          </p>
          {post.picture !== null && <Thumbnail picture={post.picture} />}
        </div>
      ) : (
        <Pictures postId={post.id}>
          {/* By its label: a copy of the date in the page would be found by the browser's search. */}
          <h2 className="hidden" aria-label={shortHeading(post)} />
          <Prose html={post.html} />
          <Attachments attachments={post.attachments} />
        </Pictures>
      )}
      <CardMeta post={post} dateId={nameId} />
    </article>
  );
}

/** The picture of an essay beside its title, which already links to it. */
function Thumbnail({ picture: { src, sources, width, height } }: { picture: PreviewPicture }) {
  return (
    <img
      className="thumbnail"
      src={src}
      srcSet={sources ?? undefined}
      sizes="(width < 48rem) 6.5rem, 10rem"
      width={width}
      height={height}
      loading="lazy"
      decoding="async"
      alt=""
    />
  );
}
