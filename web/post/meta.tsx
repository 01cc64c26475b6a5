import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { ManagedPost } from '../../contract/post.ts';
import { routes } from '../app/routes.ts';
import { Face } from '../ui/face.tsx';

type MetaProps = {
  post: Pick<ManagedPost, 'isPinned' | 'authorUsername' | 'tags'>;
  /** The picture beside the name of the author; undefined where none is shown. */
  face?: string | null | undefined;
  date: ReactNode;
  /** What else it says, before the tags. */
  aside?: ReactNode;
  /** Whether a tag leads to its page. */
  isLinked?: boolean;
  /** The buttons at its end. */
  children?: ReactNode;
};

/** The line below a post: on its page, in lists, and in the preview of the editor. */
export function Meta({ post, face, date, aside, isLinked = false, children }: MetaProps) {
  return (
    <div className="meta">
      {post.isPinned && <span>Pinned</span>}
      {date}
      {post.authorUsername !== null && (
        <span className="byline">
          {face !== undefined && <Face name={post.authorUsername} face={face} />}
          by {post.authorUsername}
        </span>
      )}
      {aside}
      {post.tags.length > 0 && (
        <ul className="tags" aria-label="Tags">
          {post.tags.map(tag => (
            <li key={tag}>
              {isLinked ? (
                <Link className="chip" to={routes.tag.href({ tag })}>
                  {tag}
                </Link>
              ) : (
                tag
              )}
            </li>
          ))}
        </ul>
      )}
      {children}
    </div>
  );
}
