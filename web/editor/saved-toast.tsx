import { Link } from 'wouter';
import { routes } from '../app/routes.ts';
import { useToast } from '../app/toasts.tsx';
import { copyLink } from '../post/share.tsx';
import type { Base } from './unsaved/editor-state.ts';

/** The message after a post was saved: where it is now, and how to share it. */
export function savedToast(postId: string, isDraft: boolean, replaced: Base) {
  const wasPublished = (replaced?.publishedOn ?? '') !== '';
  const path = routes.post.href({ postId });
  return {
    text: isDraft ? 'Saved as a draft.' : wasPublished ? 'Saved.' : 'Published.',
    actions: (
      <>
        <Link className="quiet" to={path}>
          View it
        </Link>
        {!isDraft && <CopyLink path={path} />}
      </>
    ),
  };
}

function CopyLink({ path }: { path: string }) {
  const toast = useToast();
  const copy = () => copyLink(new URL(path, window.location.href).href, toast);
  return (
    <button type="button" className="quiet" onClick={() => void copy()}>
      Copy link
    </button>
  );
}
