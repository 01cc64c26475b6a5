import { Link } from 'wouter';
import type { ListedPost } from '../../contract/posts.ts';
import { routes } from '../app/routes.ts';
import { Attachments } from '../post/attachments.tsx';
import { CardMeta } from '../post/meta-line.tsx';
import { Pictures } from '../post/pictures.tsx';
import { languageOf, titleOf } from '../post/title.ts';
import { Prose } from '../ui/prose.tsx';

/** A short post in full, or the preview of an essay that leads to its page (decisions.md 21). */
export function PostCard({ post }: { post: ListedPost }) {
  const isEssay = post.type === 'essay';
  const nameId = `name-${post.id}`;
  return (
    // The focus moves here when more posts have been loaded.
    <article className="post" aria-labelledby={nameId} tabIndex={-1}>
      {isEssay ? (
        <>
          <h2 id={nameId} dir="auto">
            <Link to={routes.post.href({ postId: post.id })}>{post.title}</Link>
          </h2>
          <p className="summary" dir="auto">
            {post.description}
          </p>
        </>
      ) : (
        <Pictures>
          {/* By its label: a copy of the first words in the page would be found by its search. */}
          <h2 className="hidden" aria-label={titleOf(post)} lang={languageOf(post)} />
          <Prose html={post.html} />
          <Attachments attachments={post.attachments} />
        </Pictures>
      )}
      <CardMeta post={post} dateId={nameId} />
    </article>
  );
}
